package dev.komainu.intermediary.buffer;

/**
 * How many bytes a connection wants to have outstanding: twice what its rate brings into one round
 * trip, because that is estimated.
 */
final class BufferDemand {

    /**
     * Less would stop a connection that has segments of usual size: one and what announces it, by
     * kernel's account.
     */
    static final long FLOOR_BYTES = 2304;
    /** An initial window of ten segments. */
    static final long MIN_BYTES = 16 * 1024;
    /** As much as Linux lets autotuning have. */
    static final long MAX_BYTES = 4L << 20;

    private BufferDemand() {}

    /** @param bytesPerSecond of its path; infinite: as much as can be had */
    static long bytes(double bytesPerSecond, double rttSeconds) {
        double need = 2 * bytesPerSecond * rttSeconds;
        return need >= MAX_BYTES ? MAX_BYTES : Math.max(MIN_BYTES, (long) need);
    }

    /**
     * What of a pair's two rates is of use: a miss moves no faster than its slower side (E²-ATBT).
     */
    static double limitingRate(double upBytesPerSecond, double downBytesPerSecond) {
        return Math.min(upBytesPerSecond, downBytesPerSecond);
    }

    /** What it gets at this level of sharing. */
    static long share(long demand, long level) {
        return Math.max(FLOOR_BYTES, Math.min(demand, level));
    }
}
