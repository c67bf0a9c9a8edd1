package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.caching.Storability;
import dev.komainu.intermediary.message.CacheDirectives;
import dev.komainu.intermediary.message.EndToEndFields;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.message.TargetedControl;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A response that is stored whole. While its length is unknown, room is allocated in steps. */
final class WholeStore extends FillStore {

    private static final int FIRST_RUN = 16 * 1024;
    private static final int MAX_STEP = 1 << 20;

    private final long wallMillis;
    private final List<String> withheld;

    private WholeStore(
            MemoryCache cache,
            CacheFill fill,
            ResponseHead head,
            FetchPlan plan,
            long wallMillis,
            List<String> withheld) {
        super(cache, plan, fill, head, Labels.of(head.fields(), plan.uri()));
        this.wallMillis = wallMillis;
        this.withheld = withheld;
    }

    /**
     * Returns the store for a response; null when the response must not be stored, is too large, is
     * not admitted, or there is no room.
     */
    static @Nullable FillStore begin(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long requestWallMillis,
            boolean awaited) {
        Fields fields = head.fields();
        CacheDirectives control = TargetedControl.of(fields, cache.settings().targets());
        Freshness freshness =
                permitted(cache.settings(), clock, plan, head, control, requestWallMillis);
        if (freshness == null) {
            return null;
        }
        long wall = clock.wallMillis();
        long length = head.hasBody(false) ? head.contentLength() : 0;
        if (length > cache.settings().maxObjectBytes()
                || (!awaited && !cache.admits(plan.uri(), length))) {
            return null;
        }
        boolean withLength = length >= 0 && head.status() != 204;
        long stripped = cache.settings().stripped();
        byte[] whole = EndToEndFields.head(head, withLength ? length : -1, wall, stripped);
        byte[] shared = control.withheld.isEmpty()
                ? whole
                : EndToEndFields.head(
                        head, withLength ? length : -1, wall, stripped, control.withheld);
        String etag = fields.first(Field.ETAG);
        String modified = fields.first(Field.LAST_MODIFIED);
        ByteBuf[] runs = length > 0
                ? allocateRuns(cache, length, StoredHead.bytes(shared, etag, modified), plan.uri())
                : new ByteBuf[0];
        if (runs == null) {
            return null;
        }
        CacheFill fill = new CacheFill(
                head.status(), shared, whole, length, freshness, etag, modified, null, runs);
        return new WholeStore(cache, fill, head.detached(), plan, wall, control.withheld);
    }

    /**
     * Reports whether a response may be stored according to its fields, independent of the free
     * room.
     */
    static boolean isPermitted(
            CacheSettings settings,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long requestWallMillis) {
        CacheDirectives control = TargetedControl.of(head.fields(), settings.targets());
        return permitted(settings, clock, plan, head, control, requestWallMillis) != null;
    }

    private static @Nullable Freshness permitted(
            CacheSettings settings,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            CacheDirectives control,
            long requestWallMillis) {
        if (Storability.isForbidden(control)) {
            return null;
        }
        Freshness freshness = Freshness.of(
                head.status(),
                head.fields(),
                control,
                requestWallMillis,
                clock.wallMillis(),
                clock.steadyMillis());
        if (Storability.isNegative(head.status())) {
            freshness = freshness.withDefaultLifetime(settings.negativeSeconds());
        }
        boolean refused = (plan.head().methodIs("POST") && !freshness.explicit())
                || Storability.refusal(
                                plan.head().fields(),
                                head.status(),
                                head.fields(),
                                control,
                                freshness,
                                settings.storeCookies())
                        != null;
        return refused ? null : freshness;
    }

    @Override
    boolean append(ByteBuf slice) {
        fill().write(slice);
        while (slice.isReadable()) {
            long next = Math.min(MAX_STEP, Math.max(FIRST_RUN, fill().filled()));
            if (fill().bodyLength() >= 0
                    || fill().filled() + slice.readableBytes()
                            > cache.settings().maxObjectBytes()) {
                return false;
            }
            ByteBuf run = cache.allocate(
                    (int) Math.min(next, cache.memory().longestRun()), 0, plan.uri());
            if (run == null) {
                return false;
            }
            fill().addRun(run);
            fill().write(slice);
        }
        return true;
    }

    @Override
    boolean canPassRemainder() {
        return true;
    }

    @Override
    @Nullable
    StoredResponse finish(boolean keep, long since, long steadyMillis) {
        CacheFill fill = fill();
        if (!keep) {
            fill.conclude(CacheFill.State.COMPLETE);
            return null;
        }
        ByteBuf[] runs = fill.runs();
        ByteBuf last = runs.length > 0 ? runs[runs.length - 1] : null;
        byte[] encoded = fill.head();
        if (fill.bodyLength() < 0) {
            encoded = EndToEndFields.head(
                    head(), fill.filled(), wallMillis, cache.settings().stripped(), withheld);
            if (last != null) {
                cache.memory()
                        .trim(last, StoredHead.bytes(encoded, fill.etag(), fill.lastModified()));
            }
        }
        StoredHead kept = cache.head(last, encoded, fill.etag(), fill.lastModified());
        if (kept == null) {
            fill.conclude(CacheFill.State.COMPLETE);
            return null;
        }
        CacheKey key = storeKey();
        StoredResponse response = new StoredResponse(
                key, fill.status(), kept, fill.retainRuns(), fill.freshness(), labels(key));
        fill.conclude(CacheFill.State.COMPLETE);
        return cache.put(response, since, plan.uri(), steadyMillis) ? response : null;
    }
}
