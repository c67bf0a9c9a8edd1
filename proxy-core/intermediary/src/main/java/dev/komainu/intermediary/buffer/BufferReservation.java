package dev.komainu.intermediary.buffer;

/**
 * What one connection holds of the budget, in use or idle. While it is idle it keeps what it has,
 * or, where that is decided so, half as much after every third second, down to 1 KB: what it knew
 * of its path grows old, and others can use it. Where others want it, 1 KB at once.
 *
 * <p>One event loop owns it.
 */
final class BufferReservation {

    /** Looks come once a second. */
    static final int ROUNDS_PER_HALVING = 3;

    static final long MIN_IDLE_BYTES = 1024;

    private final BufferBudget budget;
    private long shareBytes;
    private long demandBytes = BufferDemand.MIN_BYTES;
    private int idleRounds;
    private boolean isFixed;
    /**
     * Counted among the idle ones of its loop, which look at it only when its share is to be
     * halved.
     */
    private boolean isCountedIdle;

    private long decayRound;

    /** Takes what is free of its first want. */
    BufferReservation(BufferBudget budget) {
        this.budget = budget;
        this.shareBytes = budget.reserve(BufferDemand.MIN_BYTES);
    }

    /** It has so much for good, in use or not. */
    void fix(long bytes) {
        shareBytes = bytes;
        demandBytes = bytes;
        isFixed = true;
    }

    long shareBytes() {
        return shareBytes;
    }

    long demandBytes() {
        return demandBytes;
    }

    boolean isIdle() {
        return idleRounds > 0;
    }

    boolean isCountedIdle() {
        return isCountedIdle;
    }

    void setCountedIdle(boolean now) {
        isCountedIdle = now;
        decayRound = -1;
    }

    /** At which look of its loop its share is to be halved; -1: at none. */
    long decayRound() {
        return decayRound;
    }

    void setDecayRound(long round) {
        decayRound = round;
    }

    /** It was not used since the last look. */
    void markIdle(boolean decays) {
        idleRounds++;
        if (decays && idleRounds % ROUNDS_PER_HALVING == 0) {
            shareBytes = Math.min(shareBytes, Math.max(MIN_IDLE_BYTES, shareBytes / 2));
        }
    }

    /**
     * It has not been used for so many looks more as one halving takes. @return whether there is
     * more to halve
     */
    boolean decay() {
        idleRounds += ROUNDS_PER_HALVING;
        shareBytes = Math.min(shareBytes, Math.max(MIN_IDLE_BYTES, shareBytes / 2));
        return shareBytes > MIN_IDLE_BYTES;
    }

    /** Others want what it does not use: the least is left to it, where it is idle. */
    void shrinkIfIdle() {
        if (isIdle()) {
            shareBytes = Math.min(shareBytes, MIN_IDLE_BYTES);
        }
    }

    /** It was used, and wants so much. */
    void setDemand(long bytes) {
        idleRounds = 0;
        demandBytes = bytes;
    }

    /**
     * It is used after a while: a first window comes back at once as far as it is free. What it
     * knew of its path TCP has forgotten, too.
     */
    void wake() {
        if (idleRounds > 0) {
            idleRounds = 0;
            if (shareBytes < BufferDemand.MIN_BYTES) {
                shareBytes += budget.reserveAgain(BufferDemand.MIN_BYTES - shareBytes);
            }
        }
    }

    /**
     * It has used up its share and could do with twice as much. @return its share, with what of
     * that was free
     */
    long grow() {
        if (!isFixed) {
            shareBytes += budget.reserveGrowth(
                    shareBytes, Math.min(shareBytes, BufferDemand.MAX_BYTES - shareBytes));
        }
        return shareBytes;
    }

    /** Everybody's wants are met up to this level. */
    void setLevel(long bytes) {
        isFixed = false;
        if (!isIdle()) {
            shareBytes = BufferDemand.share(demandBytes, bytes);
        }
    }

    void release() {
        budget.release(shareBytes, isIdle());
        shareBytes = 0;
    }
}
