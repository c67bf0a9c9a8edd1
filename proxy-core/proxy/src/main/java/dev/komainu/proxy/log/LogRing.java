package dev.komainu.proxy.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Bytes on their way from one event loop to the file's thread: a ring for one producer and one
 * consumer, without locks and without an object for each line.
 *
 * <pre>
 *   |······|line|line|line|lin··|        taken: bytes that were consumed, since the start
 *          ^ taken           ^ given     given: bytes that were put, since the start; always the end of a line
 * </pre>
 *
 * A line is put before {@code given} moves, and {@code given} is read before the line; the other
 * way round for room.
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

    /** The producer's: the last it saw of {@code taken}. */
    private long takenSeen;

    /** @param capacity bytes, a power of two */
    LogRing(int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                    "capacity: " + capacity + " (expected: a power of two)");
        }
        this.capacity = capacity;
        this.in = ByteBuffer.allocateDirect(capacity);
        this.out = in.duplicate();
    }

    /** Producer only. @return false, with nothing put, when there is no room for the whole line */
    boolean put(byte[] line, int length) {
        long end = (long) GIVEN.get(this);
        if (length > capacity - (end - takenSeen)) {
            takenSeen = (long) TAKEN.getAcquire(this);
            if (length > capacity - (end - takenSeen)) {
                return false;
            }
        }
        int at = (int) end & (capacity - 1);
        int first = Math.min(length, capacity - at);
        in.put(at, line, 0, first);
        if (first < length) {
            in.put(0, line, first, length - first);
        }
        GIVEN.setRelease(this, end + length);
        return true;
    }

    /** Producer only: whether more than half is waiting, as far as the producer knows. */
    boolean isHalfFull() {
        return (long) GIVEN.get(this) - takenSeen > capacity / 2
                && (long) GIVEN.get(this) - (takenSeen = (long) TAKEN.getAcquire(this))
                        > capacity / 2;
    }

    /**
     * Consumer only: what waits, in one piece or, round the ring's end, in two; none when nothing
     * waits.
     */
    ByteBuffer[] waiting() {
        long begin = (long) TAKEN.get(this);
        int count = (int) ((long) GIVEN.getAcquire(this) - begin);
        int at = (int) begin & (capacity - 1);
        int first = Math.min(count, capacity - at);
        if (count == 0) {
            return NOTHING;
        }
        ByteBuffer one = out.slice(at, first);
        return first == count
                ? new ByteBuffer[] {one}
                : new ByteBuffer[] {one, out.slice(0, count - first)};
    }

    private static final ByteBuffer[] NOTHING = new ByteBuffer[0];

    /** Consumer only: so many bytes of what waits are needed no more. */
    void took(long count) {
        TAKEN.setRelease(this, (long) TAKEN.get(this) + count);
    }

    /** Consumer only: of the first {@code count} waiting bytes, those up to the last line's end. */
    long wholeLines(long count) {
        long begin = (long) TAKEN.get(this);
        for (long i = count; i > 0; i--) {
            if (out.get((int) (begin + i - 1) & (capacity - 1)) == '\n') {
                return i;
            }
        }
        return 0;
    }
}
