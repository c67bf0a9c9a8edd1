package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.caching.Vary;
import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * STORE: the writer that turns an origin's response into a cache entry, during or after its readers
 * read it.
 */
abstract class FillStore {

    /**
     * The largest distance, in bytes, between the bytes that have arrived and the start of a range
     * that waits for them.
     */
    private static final int NEAR_BYTES = 1 << 20;

    final MemoryCache cache;
    final FetchPlan plan;
    private final CacheFill fill;
    private final ResponseHead head;
    private final List<String> labels;

    /**
     * Creates the store.
     *
     * @param head the response's head, or a stored head that it freshens; detached
     * @param labels the labels by which the response can be purged
     */
    FillStore(
            MemoryCache cache,
            FetchPlan plan,
            CacheFill fill,
            ResponseHead head,
            List<String> labels) {
        this.cache = cache;
        this.plan = plan;
        this.fill = fill;
        this.head = head;
        this.labels = plan.copy() ? withCopy(labels) : labels;
    }

    private static List<String> withCopy(List<String> labels) {
        List<String> all = new ArrayList<>(labels);
        if (!all.contains(Labels.COPY)) {
            all.add(Labels.COPY);
        }
        return List.copyOf(all);
    }

    /**
     * Returns the store for a response; null when the response is only passed on.
     *
     * @param awaited whether other exchanges wait for it: they must not all send their own requests
     */
    static @Nullable FillStore begin(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long requestWallMillis,
            boolean awaited) {
        if (plan.part() != null && head.status() == 206) {
            return PartStore.begin(cache, clock, plan, head, requestWallMillis);
        }
        boolean whole = plan.storable()
                || (plan.part() != null && head.status() == 200)
                || isForLaterGets(plan, head);
        return whole
                ? WholeStore.begin(cache, clock, plan, head, requestWallMillis, awaited)
                : null;
    }

    /**
     * Reports whether this is a response to POST that a later GET of the same URI may use (RFC 9110
     * section 9.3.3).
     */
    static boolean isForLaterGets(FetchPlan plan, ResponseHead head) {
        if (!plan.head().methodIs("POST") || head.status() != 200) {
            return false;
        }
        CacheKey contentLocation =
                SameOrigin.key(plan.head(), head.fields().first(Field.CONTENT_LOCATION));
        return contentLocation != null && contentLocation.equals(plan.uri());
    }

    ResponseHead head() {
        return head;
    }

    /**
     * Allocates runs for a body.
     *
     * @param extra the bytes needed behind the last run, for the head
     * @param uri the key of the URI that the runs are for
     * @return null when there is no room
     */
    static ByteBuf @Nullable [] allocateRuns(
            MemoryCache cache, long length, int extra, CacheKey uri) {
        List<ByteBuf> runs = new ArrayList<>(1);
        for (long left = length; left > 0; ) {
            int next = (int) Math.min(left, cache.memory().longestRun());
            ByteBuf run = cache.allocate(next, next == left ? extra : 0, uri);
            if (run == null) {
                runs.forEach(ByteBuf::release);
                return null;
            }
            left -= run.capacity();
            runs.add(run);
        }
        return runs.toArray(ByteBuf[]::new);
    }

    CacheFill fill() {
        return fill;
    }

    /**
     * Reports whether waiters can read the fill while it grows. They must not start a response that
     * may become too long to be stored.
     */
    boolean isReadable() {
        return fill.bodyLength() >= 0;
    }

    /**
     * Reports whether the waiter's request selects this response, and the bytes it needs arrive
     * soon.
     */
    boolean suits(FetchWaiter waiter, FetchPlan leader) {
        RequestHead request = waiter.request();
        String vary = head.fields().joined(Field.VARY);
        List<String> names = vary == null ? List.of() : Vary.names(vary);
        return providesSoon(request)
                && (names.isEmpty()
                        || Vary.selection(names, leader.head().fields())
                                .equals(Vary.selection(names, request.fields())));
    }

    /**
     * Reports whether the response provides the request's bytes soon. A request of its own is
     * faster for a head alone, or for bytes near the end.
     */
    private boolean providesSoon(RequestHead request) {
        boolean isHead = request.methodIs("HEAD");
        if (!isHead && !request.fields().has(Field.RANGE)) {
            return true;
        }
        long length = fill.bodyLength();
        if (length < 0 || isHead) {
            return length >= 0;
        }
        List<ByteRange> ranges = ByteRange.list(request.fields().first(Field.RANGE), length);
        long limit = fill.filled() + NEAR_BYTES;
        return fill.status() != 200
                || ranges == null
                || ranges.stream().allMatch(r -> r.from() <= limit);
    }

    /**
     * Copies body bytes into the fill.
     *
     * @return false when there is no room for all of them; the rest stays readable
     */
    boolean append(ByteBuf slice) {
        fill.write(slice);
        return !slice.isReadable();
    }

    /** Reports whether the leader can receive the bytes that found no room. */
    abstract boolean canPassRemainder();

    /**
     * Stores the body, which is complete according to its framing.
     *
     * @param keep false to store nothing: a purge came after the request
     * @param since see {@link MemoryCache#put}
     * @return the response for the waiters that need the whole; null when there is none
     */
    abstract @Nullable StoredResponse finish(boolean keep, long since, long steadyMillis);

    /** Returns the labels by which the response can be purged. */
    List<String> labels() {
        return labels;
    }

    /** Returns the labels for an entry that is stored under this key. */
    List<String> labels(CacheKey key) {
        if (key.equals(plan.uri())) {
            return labels;
        }
        List<String> all = new ArrayList<>(labels);
        all.add(Labels.variantOf(plan.uri()));
        return all;
    }

    /**
     * Returns the key of the stored response: the URI's, or that of the variant selected by the
     * response's Vary.
     */
    CacheKey storeKey() {
        String vary = head.fields().joined(Field.VARY);
        List<String> names = vary == null ? List.of() : Vary.names(vary);
        if (names.isEmpty()) {
            return plan.uri();
        }
        CacheKey key = plan.uri().copy();
        cache.varyRule(plan.uri(), names).select(key, plan.head().fields());
        return key;
    }
}
