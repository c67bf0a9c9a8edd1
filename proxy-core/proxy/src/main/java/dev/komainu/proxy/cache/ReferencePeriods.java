package dev.komainu.proxy.cache;

/**
 * The reference periods of one pool: the current one, and one for responses that were moved into
 * the pool without a reference in the current period. Thread-safe. {@link ReferencePeriod} explains
 * how a response's bytes are counted in exactly one period.
 */
public final class ReferencePeriods {

    private final boolean isProtected;
    private final ReferencePeriod unreferenced = ReferencePeriod.of(this);
    private volatile ReferencePeriod current = ReferencePeriod.of(this);

    /**
     * Creates the periods of one pool.
     *
     * @param isProtected whether the pool is the protected one
     */
    public ReferencePeriods(boolean isProtected) {
        this.isProtected = isProtected;
    }

    boolean isProtected() {
        return isProtected;
    }

    ReferencePeriod current() {
        return current;
    }

    /** Starts a new period: no response is referenced in it yet. */
    public void startPeriod() {
        current = ReferencePeriod.of(this);
    }

    /**
     * Counts a response as this pool's.
     *
     * @param referenced whether this counts as a use in the current period
     */
    public void add(StoredRepresentation response, boolean referenced) {
        response.moveTo(referenced ? current : unreferenced);
    }

    /** Removes a response from the counts of its pool. */
    public static void remove(StoredRepresentation response) {
        response.moveTo(ReferencePeriod.NONE);
    }

    /** Reports whether the response's last reference is in the current period. */
    public boolean isReferenced(StoredRepresentation response) {
        return response.isIn(current);
    }

    /** Returns the bytes of the responses referenced in the current period. */
    public long referencedBytes() {
        return current.bytes();
    }
}
