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
    static final int LOOKS_A_HALVING = 3;

    static final long LEAST_IDLE_BYTES = 1024;

    private final BufferBudget budget;
    private long shareBytes;
    private long wantBytes = BufferDemand.LEAST_BYTES;
    private int idleLooks;
    private boolean isFixed;
    /**
     * Counted among the idle ones of its loop, which look at it only when its share is to be
     * halved.
     */
    private boolean isParked;

    private long decaysAt;

    /** Takes what is free of its first want. */
    BufferReservation(BufferBudget budget) {
        this.budget = budget;
        this.shareBytes = budget.take(BufferDemand.LEAST_BYTES);
    }

    /** It has so much for good, in use or not. */
    void fix(long bytes) {
        shareBytes = bytes;
        wantBytes = bytes;
        isFixed = true;
    }

    long shareBytes() {
        return shareBytes;
    }

    long wantBytes() {
        return wantBytes;
    }

    boolean isIdle() {
        return idleLooks > 0;
    }

    boolean isParked() {
        return isParked;
    }

    void park(boolean now) {
        isParked = now;
        decaysAt = -1;
    }

    /** At which look of its loop its share is to be halved; -1: at none. */
    long decaysAt() {
        return decaysAt;
    }

    void decaysAt(long look) {
        decaysAt = look;
    }

    /** It was not used since the last look. */
    void idle(boolean decays) {
        idleLooks++;
        if (decays && idleLooks % LOOKS_A_HALVING == 0) {
            shareBytes = Math.min(shareBytes, Math.max(LEAST_IDLE_BYTES, shareBytes / 2));
        }
    }

    /**
     * It has not been used for so many looks more as one halving takes. @return whether there is
     * more to halve
     */
    boolean decay() {
        idleLooks += LOOKS_A_HALVING;
        shareBytes = Math.min(shareBytes, Math.max(LEAST_IDLE_BYTES, shareBytes / 2));
        return shareBytes > LEAST_IDLE_BYTES;
    }

    /** Others want what it does not use: the least is left to it, where it is idle. */
    void press() {
        if (isIdle()) {
            shareBytes = Math.min(shareBytes, LEAST_IDLE_BYTES);
        }
    }

    /** It was used, and wants so much. */
    void wants(long bytes) {
        idleLooks = 0;
        wantBytes = bytes;
    }

    /**
     * It is used after a while: a first window comes back at once as far as it is free. What it
     * knew of its path TCP has forgotten, too.
     */
    void wake() {
        if (idleLooks > 0) {
            idleLooks = 0;
            if (shareBytes < BufferDemand.LEAST_BYTES) {
                shareBytes += budget.takeAgain(BufferDemand.LEAST_BYTES - shareBytes);
            }
        }
    }

    /**
     * It has used up its share and could do with twice as much. @return its share, with what of
     * that was free
     */
    long grow() {
        if (!isFixed) {
            shareBytes += budget.takeMore(
                    shareBytes, Math.min(shareBytes, BufferDemand.MOST_BYTES - shareBytes));
        }
        return shareBytes;
    }

    /** Everybody's wants are met up to this level. */
    void level(long bytes) {
        isFixed = false;
        if (!isIdle()) {
            shareBytes = BufferDemand.share(wantBytes, bytes);
        }
    }

    void giveBack() {
        budget.giveBack(shareBytes, isIdle());
        shareBytes = 0;
    }
}
