package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.ContentRange;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.caching.Storability;
import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredParts;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A 206 that is stored, and joined with what is held of the same object (RFC 9111 sections 3.3 and
 * 3.4).
 *
 * <pre>
 *   fill:    | held | held |  gap: new runs  | held |       its reader gets all of it, the cache only what is new
 * </pre>
 *
 * Nothing is believed that does not fit: the range must be the one asked for, the body as long as
 * the range, the strong validator and the whole's length those of what is held.
 */
final class PartStore extends FillStore {

    private final ByteRange gap;
    private final ByteBuf[] fresh;
    private final byte[] encoded;

    private PartStore(
            MemoryCache cache,
            FetchPlan plan,
            CacheFill fill,
            ResponseHead head,
            ByteRange gap,
            ByteBuf[] fresh,
            byte[] encoded,
            List<String> labels) {
        super(cache, plan, fill, head, labels);
        this.gap = gap;
        this.fresh = fresh;
        this.encoded = encoded;
    }

    /** Absent when the answer does not fit, may not be stored, is too large, or finds no room. */
    static @Nullable PartStore begin(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long askedWallMillis) {
        PartPlan part = plan.part();
        ContentRange said = ContentRange.of(head.fields());
        if (part == null || said == null || !fits(plan, part, head, said)) {
            return null;
        }
        StoredParts held = part.held();
        FreshenedHead renewed = held == null
                ? FreshenedHead.of(
                        cache.settings(),
                        clock,
                        EndToEndFields.headOfWhole(
                                head,
                                said.total(),
                                clock.wallMillis(),
                                cache.settings().stripped(),
                                withheld(cache, head)),
                        head.fields(),
                        askedWallMillis)
                : FreshenedHead.of(
                        cache.settings(), clock, held.head(), said.total(), head, askedWallMillis);
        if (renewed == null
                || said.range().length() > cache.settings().maxObjectBytes()
                || Storability.refusal(
                                plan.head().fields(),
                                200,
                                renewed.head().fields(),
                                renewed.control(),
                                renewed.freshness(),
                                cache.settings().storeCookies())
                        != null) {
            return null;
        }
        ByteRange wanted = held == null ? said.range() : part.wanted();
        List<ByteBuf> runs = new ArrayList<>();
        ByteBuf[] fresh = runs(cache, held, wanted, said.range(), runs, plan.uri());
        if (fresh == null) {
            runs.forEach(ByteBuf::release);
            return null;
        }
        CacheFill fill = new CacheFill(
                200,
                renewed.encoded(),
                renewed.encoded(),
                said.total(),
                renewed.freshness(),
                renewed.head().fields().first(Field.ETAG),
                renewed.head().fields().first(Field.LAST_MODIFIED),
                plan.storable() ? null : wanted,
                runs.toArray(ByteBuf[]::new));
        fill.fetchedAs(206);
        return new PartStore(
                cache,
                plan,
                fill,
                renewed.head(),
                said.range(),
                fresh,
                renewed.encoded(),
                held == null
                        ? Labels.of(head.fields(), plan.uri())
                        : ValidationResult.labels(held, head.fields()));
    }

    private static List<String> withheld(MemoryCache cache, ResponseHead head) {
        return dev.komainu.intermediary.message.TargetedControl.of(
                        head.fields(), cache.settings().targets())
                .withheld;
    }

    private static boolean fits(
            FetchPlan plan, PartPlan part, ResponseHead head, ContentRange said) {
        ByteRange range = said.range();
        if (head.status() != 206
                || head.contentLength() >= 0 && head.contentLength() != range.length()) {
            return false;
        }
        StoredParts held = part.held();
        if (held != null) {
            return range.equals(part.gap())
                    && said.total() == held.bodyLength()
                    && StoredParts.sameObject(held.etag(), head.fields().first(Field.ETAG));
        }
        // Under a client's own If-Range fields that it has already may be left out (RFC 9110
        // section 15.3.7).
        List<ByteRange> asked =
                ByteRange.list(plan.head().fields().first(Field.RANGE), said.total());
        return !plan.head().fields().has(Field.IF_RANGE)
                && asked != null
                && asked.size() == 1
                && asked.getFirst().equals(range);
    }

    /**
     * Adds all runs of the wanted bytes. @return the new ones among them; absent when there is no
     * room, or what was held is gone
     */
    private static ByteBuf @Nullable [] runs(
            MemoryCache cache,
            @Nullable StoredParts held,
            ByteRange wanted,
            ByteRange gap,
            List<ByteBuf> all,
            CacheKey uri) {
        if (held != null && !add(held, wanted.from(), gap.from() - wanted.from(), all)) {
            return null;
        }
        ByteBuf[] fresh = room(cache, gap.length(), 0, uri);
        if (fresh == null) {
            return null;
        }
        all.addAll(List.of(fresh));
        return held == null || add(held, gap.to() + 1, wanted.to() - gap.to(), all) ? fresh : null;
    }

    private static boolean add(StoredParts held, long from, long count, List<ByteBuf> to) {
        ByteBuf[] views = count == 0 ? new ByteBuf[0] : held.retain(from, count);
        if (views != null) {
            to.addAll(List.of(views));
        }
        return views != null;
    }

    @Override
    boolean canPassTheRest() {
        return false;
    }

    @Override
    @Nullable
    StoredResponse finish(boolean keep, long since, long steadyMillis) {
        CacheFill fill = fill();
        boolean full = fill.isFull();
        fill.conclude(full ? CacheFill.State.COMPLETE : CacheFill.State.BROKEN);
        if (!full || !keep) {
            return null;
        }
        // Behind the last run another head may lie: that of what was held.
        StoredHead kept = cache.head(null, encoded, fill.etag(), fill.lastModified());
        if (kept == null) {
            return null;
        }
        CacheKey key = storeKey();
        List<String> labels = labels(key);
        if (plan.storable()) {
            StoredResponse whole =
                    new StoredResponse(key, 200, kept, fill.retainRuns(), fill.freshness(), labels);
            return cache.put(whole, since, plan.uri(), steadyMillis) ? whole : null;
        }
        List<StoredParts.Part> parts = new ArrayList<>();
        long at = gap.from();
        for (ByteBuf run : fresh) {
            parts.add(new StoredParts.Part(at, run.retainedDuplicate()));
            at += run.readableBytes();
        }
        cache.merge(
                new StoredParts(key, kept, fill.bodyLength(), parts, fill.freshness(), labels),
                since,
                plan.uri(),
                steadyMillis);
        return null;
    }
}
