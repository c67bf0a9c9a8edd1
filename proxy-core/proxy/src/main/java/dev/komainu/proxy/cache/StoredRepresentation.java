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
 * A stored object, complete or in parts: its head, the metadata of the head, and the labels for
 * purges. Immutable except for changes by a soft purge and by hits.
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
    /** Written by event loops without a lock: a lost count is acceptable for the contents page. */
    private int hits;
    /**
     * The period of the last reference. Changed only through {@link #PERIOD}; the winner updates
     * the accounts.
     */
    private volatile ReferencePeriod period = ReferencePeriod.NONE;

    StoredRepresentation(CacheKey key, StoredHead head, Freshness freshness, List<String> labels) {
        this.key = key;
        this.head = head;
        this.freshness = freshness;
        this.membership = TagIndex.Membership.of(labels);
    }

    /** Returns the heap bytes of key and labels. */
    final int namesWeight() {
        return key.footprint() + (membership == null ? 0 : membership.footprint());
    }

    /** Returns the bytes of {@link BodyMemory} of its body and its head. */
    public abstract long runBytes();

    /** Returns the bytes charged on the heap: the weight without the runs. */
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

    /** Returns a copy of the encoded head; null when it no longer exists. */
    @Override
    public final byte @Nullable [] head() {
        return head.encoded();
    }

    /** Returns the length of {@link #head}. */
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

    /** Reports whether the object has an ETag or a Last-Modified for its validation. */
    public final boolean hasValidator() {
        return head.hasValidator();
    }

    /** Returns the labels, see {@link Labels}. */
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
     * Marks the object as referenced in the current period of its pool: one atomic exchange a
     * period, otherwise two reads.
     */
    public final void markReferenced() {
        ReferencePeriod previous = period;
        ReferencePeriod current = previous.current();
        if (previous != current && PERIOD.compareAndSet(this, previous, current)) {
            previous.add(-weight());
            current.add(weight());
        }
    }

    /** Moves the object's bytes to this period. */
    final void moveTo(ReferencePeriod next) {
        ReferencePeriod previous = (ReferencePeriod) PERIOD.getAndSet(this, next);
        previous.add(-weight());
        next.add(weight());
    }

    final boolean isIn(ReferencePeriod other) {
        return period == other;
    }

    /** Reports whether the object is in the protected pool. */
    public final boolean isProtected() {
        return period.isProtected();
    }

    /** Counts a request served from this object. */
    public final void hit() {
        hits++;
    }

    /** Returns the number of requests served since the object was stored; see {@link #hit}. */
    public final int hits() {
        return hits;
    }

    final void hits(int before) {
        hits = before;
    }

    /**
     * Makes the object stale.
     *
     * @return false when it was already stale
     */
    public final boolean soften(long steadyMillis) {
        Freshness before = freshness;
        if (before.leftSeconds(steadyMillis) <= 0) {
            return false;
        }
        freshness = before.staleAt(steadyMillis);
        return true;
    }
}
