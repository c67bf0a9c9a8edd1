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
 * A 206 that is stored and combined with stored parts of the same object (RFC 9111 sections 3.3 and
 * 3.4).
 *
 * <pre>
 *   fill:    | stored | stored |  gap: new runs  | stored |       its reader gets all of it, the cache only the new bytes
 * </pre>
 *
 * A 206 is stored only when all of these match: its range is the requested one; its body is as long
 * as the range; its strong validator and the complete length are those of the stored parts.
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

    /**
     * Returns the store; null when the response does not match, must not be stored, is too large,
     * or there is no room.
     */
    static @Nullable PartStore begin(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long requestWallMillis) {
        PartPlan part = plan.part();
        ContentRange contentRange = ContentRange.of(head.fields());
        if (part == null || contentRange == null || !fits(plan, part, head, contentRange)) {
            return null;
        }
        StoredParts stored = part.stored();
        FreshenedHead freshened = stored == null
                ? FreshenedHead.of(
                        cache.settings(),
                        clock,
                        EndToEndFields.headOfWhole(
                                head,
                                contentRange.total(),
                                clock.wallMillis(),
                                cache.settings().stripped(),
                                withheld(cache, head)),
                        head.fields(),
                        requestWallMillis)
                : FreshenedHead.of(
                        cache.settings(),
                        clock,
                        stored.head(),
                        contentRange.total(),
                        head,
                        requestWallMillis);
        if (freshened == null
                || contentRange.range().length() > cache.settings().maxObjectBytes()
                || Storability.refusal(
                                plan.head().fields(),
                                200,
                                freshened.head().fields(),
                                freshened.control(),
                                freshened.freshness(),
                                cache.settings().storeCookies())
                        != null) {
            return null;
        }
        ByteRange needed = stored == null ? contentRange.range() : part.needed();
        List<ByteBuf> runs = new ArrayList<>();
        ByteBuf[] fresh = runs(cache, stored, needed, contentRange.range(), runs, plan.uri());
        if (fresh == null) {
            runs.forEach(ByteBuf::release);
            return null;
        }
        CacheFill fill = new CacheFill(
                200,
                freshened.encoded(),
                freshened.encoded(),
                contentRange.total(),
                freshened.freshness(),
                freshened.head().fields().first(Field.ETAG),
                freshened.head().fields().first(Field.LAST_MODIFIED),
                plan.storable() ? null : needed,
                runs.toArray(ByteBuf[]::new));
        fill.fetchedAs(206);
        return new PartStore(
                cache,
                plan,
                fill,
                freshened.head(),
                contentRange.range(),
                fresh,
                freshened.encoded(),
                stored == null
                        ? Labels.of(head.fields(), plan.uri())
                        : ValidationResult.labels(stored, head.fields()));
    }

    private static List<String> withheld(MemoryCache cache, ResponseHead head) {
        return dev.komainu.intermediary.message.TargetedControl.of(
                        head.fields(), cache.settings().targets())
                .withheld;
    }

    private static boolean fits(
            FetchPlan plan, PartPlan part, ResponseHead head, ContentRange contentRange) {
        ByteRange range = contentRange.range();
        if (head.status() != 206
                || (head.contentLength() >= 0 && head.contentLength() != range.length())) {
            return false;
        }
        StoredParts stored = part.stored();
        if (stored != null) {
            return range.equals(part.gap())
                    && contentRange.total() == stored.bodyLength()
                    && StoredParts.sameObject(stored.etag(), head.fields().first(Field.ETAG));
        }
        // With the client's own If-Range, the origin may leave out fields that the client has
        // already (RFC 9110 section 15.3.7).
        List<ByteRange> requested =
                ByteRange.list(plan.head().fields().first(Field.RANGE), contentRange.total());
        return !plan.head().fields().has(Field.IF_RANGE)
                && requested != null
                && requested.size() == 1
                && requested.getFirst().equals(range);
    }

    /**
     * Adds all runs of the needed bytes to a list.
     *
     * @return the new runs among them; null when there is no room, or the stored parts were dropped
     */
    private static ByteBuf @Nullable [] runs(
            MemoryCache cache,
            @Nullable StoredParts stored,
            ByteRange needed,
            ByteRange gap,
            List<ByteBuf> all,
            CacheKey uri) {
        if (stored != null && !add(stored, needed.from(), gap.from() - needed.from(), all)) {
            return null;
        }
        ByteBuf[] fresh = allocateRuns(cache, gap.length(), 0, uri);
        if (fresh == null) {
            return null;
        }
        all.addAll(List.of(fresh));
        return stored == null || add(stored, gap.to() + 1, needed.to() - gap.to(), all)
                ? fresh
                : null;
    }

    private static boolean add(StoredParts stored, long from, long count, List<ByteBuf> to) {
        ByteBuf[] views = count == 0 ? new ByteBuf[0] : stored.retain(from, count);
        if (views != null) {
            to.addAll(List.of(views));
        }
        return views != null;
    }

    @Override
    boolean canPassRemainder() {
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
        // The memory behind the last run may contain another head: that of the stored parts.
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
        long position = gap.from();
        for (ByteBuf run : fresh) {
            parts.add(new StoredParts.Part(position, run.retainedDuplicate()));
            position += run.readableBytes();
        }
        cache.merge(
                new StoredParts(key, kept, fill.bodyLength(), parts, fill.freshness(), labels),
                since,
                plan.uri(),
                steadyMillis);
        return null;
    }
}
