package dev.komainu.proxy.cache;

/**
 * The reference periods of one pool: the present one, and that of answers which were moved here
 * without having been referenced in it. Safe for all threads; {@link ReferencePeriod} tells how an
 * answer's bytes are kept in exactly one.
 */
public final class ReferencePeriods {

    private final boolean isProtected;
    private final ReferencePeriod before = ReferencePeriod.of(this);
    private volatile ReferencePeriod present = ReferencePeriod.of(this);

    /** @param isProtected whether they are the protected pool's */
    public ReferencePeriods(boolean isProtected) {
        this.isProtected = isProtected;
    }

    boolean isProtected() {
        return isProtected;
    }

    ReferencePeriod present() {
        return present;
    }

    /** Begins a new period: no answer is referenced in it yet. */
    public void begin() {
        present = ReferencePeriod.of(this);
    }

    /**
     * Counts an answer as this pool's.
     *
     * @param referenced whether this counts as a use in the present period
     */
    public void enter(StoredRepresentation answer, boolean referenced) {
        answer.enter(referenced ? present : before);
    }

    /** Counts an answer as no pool's. */
    public static void leave(StoredRepresentation answer) {
        answer.enter(ReferencePeriod.NONE);
    }

    /** Whether its last reference falls into the present period. */
    public boolean isReferenced(StoredRepresentation answer) {
        return answer.isOf(present);
    }

    /** Of the answers referenced in the present period. */
    public long referencedBytes() {
        return present.bytes();
    }
}
