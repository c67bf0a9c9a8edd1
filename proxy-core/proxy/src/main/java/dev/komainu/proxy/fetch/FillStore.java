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

/** STORE: turns an origin's answer into what is stored, while or after others read it. */
abstract class FillStore {

    /** Bytes that may lie between what is here and what a range begins with. */
    private static final int SOON = 1 << 20;

    final MemoryCache cache;
    final FetchPlan plan;
    private final CacheFill fill;
    private final ResponseHead head;
    private final List<String> labels;

    /**
     * @param head the answer's, or what it makes of a stored one; detached
     * @param labels what it can be purged by
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
     * Room and permission for an answer; absent when it is only to be passed on.
     *
     * @param awaited whether others wait for it: they must not all have to ask the origin for
     *     themselves
     */
    static @Nullable FillStore begin(
            MemoryCache cache,
            ProxyClock clock,
            FetchPlan plan,
            ResponseHead head,
            long askedWallMillis,
            boolean awaited) {
        if (plan.part() != null && head.status() == 206) {
            return PartStore.begin(cache, clock, plan, head, askedWallMillis);
        }
        boolean whole = plan.storable()
                || plan.part() != null && head.status() == 200
                || isForLaterGets(plan, head);
        return whole ? WholeStore.begin(cache, clock, plan, head, askedWallMillis, awaited) : null;
    }

    /**
     * RFC 9110 section 9.3.3: the answer to POST that says it is what a GET of the same URI would
     * now bring.
     */
    static boolean isForLaterGets(FetchPlan plan, ResponseHead head) {
        if (!plan.head().methodIs("POST") || head.status() != 200) {
            return false;
        }
        CacheKey named = SameOrigin.key(plan.head(), head.fields().first(Field.CONTENT_LOCATION));
        return named != null && named.equals(plan.uri());
    }

    ResponseHead head() {
        return head;
    }

    /**
     * @param behind bytes wanted behind the last run, for the head
     * @param uri what it is for
     */
    static ByteBuf @Nullable [] room(MemoryCache cache, long length, int behind, CacheKey uri) {
        List<ByteBuf> runs = new ArrayList<>(1);
        for (long left = length; left > 0; ) {
            int next = (int) Math.min(left, cache.memory().longestRun());
            ByteBuf run = cache.allocate(next, next == left ? behind : 0, uri);
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
     * Whether waiters read while it grows: they must not begin what may still turn out too long to
     * be stored.
     */
    boolean isReadable() {
        return fill.bodyLength() >= 0;
    }

    /**
     * Whether this answer is also the one the waiter's request selects, and what it wants of it is
     * here soon.
     */
    boolean suits(FetchWaiter waiter, FetchPlan leader) {
        RequestHead asking = waiter.request();
        String vary = head.fields().joined(Field.VARY);
        List<String> names = vary == null ? List.of() : Vary.names(vary);
        return brings(asking)
                && (names.isEmpty()
                        || Vary.selection(names, leader.head().fields())
                                .equals(Vary.selection(names, asking.fields())));
    }

    /** A head alone, or bytes at the far end, are sooner had by a request of their own. */
    private boolean brings(RequestHead asking) {
        boolean isHead = asking.methodIs("HEAD");
        if (!isHead && !asking.fields().has(Field.RANGE)) {
            return true;
        }
        long length = fill.bodyLength();
        if (length < 0 || isHead) {
            return length >= 0;
        }
        List<ByteRange> ranges = ByteRange.list(asking.fields().first(Field.RANGE), length);
        long soon = fill.filled() + SOON;
        return fill.status() != 200
                || ranges == null
                || ranges.stream().allMatch(r -> r.from() <= soon);
    }

    /**
     * Copies body bytes in. @return false when there is no room for all of them: what was not taken
     * stays readable
     */
    boolean take(ByteBuf slice) {
        fill.write(slice);
        return !slice.isReadable();
    }

    /** Whether the bytes that found no room can reach the leader all the same. */
    abstract boolean canPassTheRest();

    /**
     * The body has ended as its framing says; what was taken is stored.
     *
     * @param keep false to store nothing: it was asked for before a change
     * @param since see {@link MemoryCache#put}
     * @return what those who waited for the whole may use; absent when there is nothing of that
     *     kind
     */
    abstract @Nullable StoredResponse finish(boolean keep, long since, long steadyMillis);

    /** What the answer can be purged by. */
    List<String> labels() {
        return labels;
    }

    /** The same for what is stored under this key. */
    List<String> labels(CacheKey key) {
        if (key.equals(plan.uri())) {
            return labels;
        }
        List<String> all = new ArrayList<>(labels);
        all.add(Labels.variantOf(plan.uri()));
        return all;
    }

    /** Key of the stored answer: the URI's, or the variant's that this answer's Vary makes. */
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
