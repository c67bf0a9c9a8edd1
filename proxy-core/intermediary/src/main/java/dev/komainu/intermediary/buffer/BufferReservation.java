package dev.komainu.intermediary.buffer;

/**
 * The share of one connection in the budget, in use or idle. An idle connection keeps its share,
 * or, where the settings say so, half of it after every third second, down to 1 KB: its knowledge
 * of the path becomes outdated, and other connections can use the bytes. When others need more than
 * there is, it falls to 1 KB at once.
 *
 * <p>One event loop owns it.
 */
final class BufferReservation {

    /** There is one round a second. */
    static final int ROUNDS_PER_HALVING = 3;

    static final long MIN_IDLE_BYTES = 1024;

    private final BufferBudget budget;
    private long shareBytes;
    private long demandBytes = BufferDemand.MIN_BYTES;
    private int idleRounds;
    private boolean isFixed;
    /**
     * True while the loop counts it among its idle connections, which it measures only when a share
     * is to be halved.
     */
    private boolean isCountedIdle;

    private long decayRound;

    /** Reserves the first demand as far as it is free. */
    BufferReservation(BufferBudget budget) {
        this.budget = budget;
        this.shareBytes = budget.reserve(BufferDemand.MIN_BYTES);
    }

    /** Fixes the share for good, in use or not. */
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

    /** Returns the round of its loop in which the share is to be halved; -1 for none. */
    long decayRound() {
        return decayRound;
    }

    void setDecayRound(long round) {
        decayRound = round;
    }

    /** Records that the connection was not used since the last round. */
    void markIdle(boolean decays) {
        idleRounds++;
        if (decays && idleRounds % ROUNDS_PER_HALVING == 0) {
            shareBytes = Math.min(shareBytes, Math.max(MIN_IDLE_BYTES, shareBytes / 2));
        }
    }

    /**
     * Records one more halving period without use.
     *
     * @return whether more can be halved
     */
    boolean decay() {
        idleRounds += ROUNDS_PER_HALVING;
        shareBytes = Math.min(shareBytes, Math.max(MIN_IDLE_BYTES, shareBytes / 2));
        return shareBytes > MIN_IDLE_BYTES;
    }

    /** Reduces the share of an idle connection to the minimum: others need it. */
    void shrinkIfIdle() {
        if (isIdle()) {
            shareBytes = Math.min(shareBytes, MIN_IDLE_BYTES);
        }
    }

    /** Records that the connection was used, and its demand. */
    void setDemand(long bytes) {
        idleRounds = 0;
        demandBytes = bytes;
    }

    /**
     * Restores a first window, as far as it is free, when an idle connection is used again. TCP has
     * forgotten its knowledge of the path, too.
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
     * Doubles a share that is used up, as far as bytes are free.
     *
     * @return the new share
     */
    long grow() {
        if (!isFixed) {
            shareBytes += budget.reserveGrowth(
                    shareBytes, Math.min(shareBytes, BufferDemand.MAX_BYTES - shareBytes));
        }
        return shareBytes;
    }

    /** Sets the share by the level up to which every demand is met. */
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
