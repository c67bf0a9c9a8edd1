package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.caching.Representation;
import dev.komainu.proxy.cache.memory.BodyMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of an object, whole or in parts: its head, what its head says, and what it can be
 * purged by. Immutable except for what a soft purge and hits change.
 */
public abstract sealed class StoredRepresentation implements CacheEntry, Representation
        permits StoredResponse, StoredParts {

    private static final VarHandle PERIOD;

    static {
        try {
            PERIOD = MethodHandles.lookup()
                    .findVarHandle(StoredRepresentation.class, "period", ReferencePeriod.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CacheKey key;
    private final StoredHead head;
    private final TagIndex.@Nullable Membership membership;
    /** Replaced by a soft purge only. */
    private volatile Freshness freshness;
    /**
     * Written by any loop without a lock: a count may be lost, which a look at the contents can
     * bear.
     */
    private int hits;
    /**
     * In which it was referenced last; changed by {@link #PERIOD} only, whose winner keeps the
     * books.
     */
    private volatile ReferencePeriod period = ReferencePeriod.NONE;

    StoredRepresentation(CacheKey key, StoredHead head, Freshness freshness, List<String> labels) {
        this.key = key;
        this.head = head;
        this.freshness = freshness;
        this.membership = TagIndex.Membership.of(labels);
    }

    /** Bytes of the heap for key and labels. */
    final int namesWeight() {
        return key.footprint() + (membership == null ? 0 : membership.footprint());
    }

    /** Bytes of {@link BodyMemory} that its body and its head take. */
    public abstract long runBytes();

    /** As charged: the rest of the weight. */
    @Override
    public final int heapBytes() {
        return (int) (weight() - runBytes());
    }

    public final CacheKey key() {
        return key;
    }

    final StoredHead texts() {
        return head;
    }

    /** A copy. */
    @Override
    public final byte @Nullable [] head() {
        return head.encoded();
    }

    /** Bytes of {@link #head}. */
    public final int headLength() {
        return head.length();
    }

    @Override
    public final Freshness freshness() {
        return freshness;
    }

    @Override
    public final @Nullable String etag() {
        return head.etag();
    }

    @Override
    public final @Nullable String lastModified() {
        return head.lastModified();
    }

    /** Whether it has an ETag or a Last-Modified to ask its origin with. */
    public final boolean hasValidator() {
        return head.hasValidator();
    }

    /** See {@link Labels}. */
    public final List<String> labels() {
        return membership == null ? List.of() : membership.labels();
    }

    public final boolean carries(String label) {
        return membership != null && membership.carries(label);
    }

    final TagIndex.@Nullable Membership membershipOrNull() {
        return membership;
    }

    final TagIndex.Membership membership() {
        return Objects.requireNonNull(membership);
    }

    /**
     * It is referenced in its pool's present period: once a period an exchange, otherwise two
     * reads.
     */
    public final void referenced() {
        ReferencePeriod was = period;
        ReferencePeriod now = was.present();
        if (was != now && PERIOD.compareAndSet(this, was, now)) {
            was.add(-weight());
            now.add(weight());
        }
    }

    /** Its bytes are this period's from now on, and of no other any more. */
    final void enter(ReferencePeriod next) {
        ReferencePeriod was = (ReferencePeriod) PERIOD.getAndSet(this, next);
        was.add(-weight());
        next.add(weight());
    }

    final boolean isOf(ReferencePeriod some) {
        return period == some;
    }

    /** Whether it lies in the protected pool. */
    public final boolean isProtected() {
        return period.isProtected();
    }

    /** It answered one more request. */
    public final void hit() {
        hits++;
    }

    /** Requests answered from it since it was stored; see {@link #hit}. */
    public final int hits() {
        return hits;
    }

    final void hits(int before) {
        hits = before;
    }

    /**
     * Makes it stale from now on.
     *
     * @return false when it was so already
     */
    public final boolean soften(long steadyMillis) {
        Freshness now = freshness;
        if (now.leftSeconds(steadyMillis) <= 0) {
            return false;
        }
        freshness = now.staleAt(steadyMillis);
        return true;
    }
}
