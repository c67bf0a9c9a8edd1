package dev.komainu.intermediary.buffer;

/**
 * The bytes that a connection should have outstanding: twice the product of its rate and round-trip
 * time, because both are estimates.
 */
final class BufferDemand {

    /**
     * The least share. With less, a connection with segments of usual size would stop: one segment
     * and its bookkeeping in the kernel.
     */
    static final long FLOOR_BYTES = 2304;
    /** An initial window of ten segments. */
    static final long MIN_BYTES = 16 * 1024;
    /** The limit of Linux's autotuning. */
    static final long MAX_BYTES = 4L << 20;

    private BufferDemand() {}

    /**
     * Returns the demand of a connection.
     *
     * @param bytesPerSecond of its path; infinite when unlimited
     */
    static long bytes(double bytesPerSecond, double rttSeconds) {
        double need = 2 * bytesPerSecond * rttSeconds;
        return need >= MAX_BYTES ? MAX_BYTES : Math.max(MIN_BYTES, (long) need);
    }

    /** Returns the rate that limits a miss: it moves no faster than its slower side (E²-ATBT). */
    static double limitingRate(double upBytesPerSecond, double downBytesPerSecond) {
        return Math.min(upBytesPerSecond, downBytesPerSecond);
    }

    /** Returns the share at this level. */
    static long share(long demand, long level) {
        return Math.max(FLOOR_BYTES, Math.min(demand, level));
    }
}
