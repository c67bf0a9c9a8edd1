package dev.komainu.proxy.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A ring of bytes from one event loop to the file's thread: one producer and one consumer, without
 * locks and without an object for each line.
 *
 * <pre>
 *   |······|line|line|line|lin··|    taken: bytes that were consumed, since the start
 *          ^ taken            ^ given  given: bytes that were put, since the start; always the end of a line
 * </pre>
 *
 * A line is put before {@code given} is increased, and {@code given} is read before the line; in
 * the other direction, {@code taken} orders the freed room in the same way.
 */
final class LogRing {

    private static final VarHandle GIVEN;
    private static final VarHandle TAKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            GIVEN = lookup.findVarHandle(LogRing.class, "given", long.class);
            TAKEN = lookup.findVarHandle(LogRing.class, "taken", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final ByteBuffer in;
    private final ByteBuffer out;

    @SuppressWarnings("unused") // by GIVEN; written by the producer
    private volatile long given;

    @SuppressWarnings("unused") // by TAKEN; written by the consumer
    private volatile long taken;

    /** The producer's last value of {@code taken}. */
    private long takenSeen;

    /**
     * Creates an empty ring.
     *
     * @param capacity bytes, a power of two
     */
    LogRing(int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                    "capacity: " + capacity + " (expected: a power of two)");
        }
        this.capacity = capacity;
        this.in = ByteBuffer.allocateDirect(capacity);
        this.out = in.duplicate();
    }

    /**
     * Puts a line. Producer only.
     *
     * @return false, with nothing put, when there is no room for the complete line
     */
    boolean put(byte[] line, int length) {
        long end = (long) GIVEN.get(this);
        if (length > capacity - (end - takenSeen)) {
            takenSeen = (long) TAKEN.getAcquire(this);
            if (length > capacity - (end - takenSeen)) {
                return false;
            }
        }
        int index = (int) end & (capacity - 1);
        int first = Math.min(length, capacity - index);
        in.put(index, line, 0, first);
        if (first < length) {
            in.put(0, line, first, length - first);
        }
        GIVEN.setRelease(this, end + length);
        return true;
    }

    /** Reports whether more than half is waiting, as far as the producer knows. Producer only. */
    boolean isHalfFull() {
        return (long) GIVEN.get(this) - takenSeen > capacity / 2
                && (long) GIVEN.get(this) - (takenSeen = (long) TAKEN.getAcquire(this))
                        > capacity / 2;
    }

    /**
     * Returns the waiting bytes in one piece or, around the ring's end, in two; none when nothing
     * waits. Consumer only.
     */
    ByteBuffer[] waiting() {
        long start = (long) TAKEN.get(this);
        int count = (int) ((long) GIVEN.getAcquire(this) - start);
        int index = (int) start & (capacity - 1);
        int first = Math.min(count, capacity - index);
        if (count == 0) {
            return NO_BUFFERS;
        }
        ByteBuffer piece = out.slice(index, first);
        return first == count
                ? new ByteBuffer[] {piece}
                : new ByteBuffer[] {piece, out.slice(0, count - first)};
    }

    private static final ByteBuffer[] NO_BUFFERS = new ByteBuffer[0];

    /** Frees the first bytes of the waiting ones. Consumer only. */
    void release(long count) {
        TAKEN.setRelease(this, (long) TAKEN.get(this) + count);
    }

    /**
     * Returns the number of bytes up to the last line's end within the first {@code count} waiting
     * bytes. Consumer only.
     */
    long completeLines(long count) {
        long start = (long) TAKEN.get(this);
        for (long i = count; i > 0; i--) {
            if (out.get((int) (start + i - 1) & (capacity - 1)) == '\n') {
                return i;
            }
        }
        return 0;
    }
}
