package dev.komainu.telemetry.record;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The contributions of single connections to one service's window, in a compact form: a sparse
 * vector of counts for each connection. Counters, buckets of distributions and cells of the grid
 * are numbered through, so that a sum of connections is a sum of vectors.
 *
 * <pre>
 *  cell         0 …     63   counters, in the order of {@link PartCounter}
 *              64 … 30,015   distributions, in the order of {@link PartTimes}, 3,328 buckets each
 *          30,016 … 35,944   T_r by T_d: response step × 77 + transfer step
 *
 *  connection  key 8 bytes, big-endian
 *              number of cells, then each: distance from the cell before, value
 *              number of steps, then each: (microseconds after the step before) × 2 + (1: opened, 0: closed)
 * </pre>
 *
 * <p>All numbers but the key are LEB128. Connections are in ascending order of their keys, without
 * sign; cells are in ascending order. The steps tell when the connection was opened and closed
 * within the window, so that the highest number of open connections of any selection can be
 * computed. A connection without cells and steps is one of a sample: only its key is known.
 */
public final class ConnectionParts {

    /** Maximum number of connections; a window with more has a sample of them. */
    public static final int MOST = 5_000;

    /** Connections in a sample: the error of a share is at most about 3 %. */
    public static final int SAMPLE = 1_024;

    static final int FIRST_TIMES = 64;
    static final int FIRST_GRID = FIRST_TIMES + PartTimes.COUNT * Distribution.BUCKETS;

    /** Number of cells. */
    static final int CELLS = FIRST_GRID + TimesGrid.STEPS * TimesGrid.STEPS;

    private static final int KEY_BYTES = 8;
    private static final int LONGEST_NUMBER = 9;
    private static final ConnectionParts EMPTY = new ConnectionParts(new byte[0], 0);

    private final byte[] encoded;
    private final int count;

    private ConnectionParts(byte[] encoded, int count) {
        this.encoded = encoded;
        this.count = count;
    }

    public static ConnectionParts empty() {
        return EMPTY;
    }

    /**
     * Parses the bytes of {@link #encoded()}.
     *
     * @throws IllegalArgumentException when the bytes are no such parts
     */
    public static ConnectionParts ofEncoded(byte[] encoded) {
        if (encoded.length == 0) {
            return EMPTY;
        }
        return new ConnectionParts(encoded.clone(), read(encoded, key -> false));
    }

    /** Returns the cell of a pair of durations in the grid of T_r by T_d. */
    public static int gridCellOf(long responseMicros, long transferMicros) {
        return FIRST_GRID
                + TimesGrid.stepOf(responseMicros) * TimesGrid.STEPS
                + TimesGrid.stepOf(transferMicros);
    }

    /** The receiver of connections and their contributions. */
    @FunctionalInterface
    public interface Reader {

        /**
         * Begins a connection.
         *
         * @return whether its cells and steps are passed on
         */
        boolean part(long key);

        /** Accepts a cell of the connection. */
        default void cell(int cell, long value) {}

        /**
         * Accepts a step of the connection: opened or closed.
         *
         * @param micros microseconds since the beginning of the window
         */
        default void step(int micros, boolean up) {}
    }

    /** The writer of parts. Connections and cells come in ascending order. */
    public static final class Builder {
        private byte[] bytes = new byte[512];
        private int length;
        private int count;
        private int cellBefore;
        private int microsBefore;

        /** Begins a connection. */
        public void part(long key, int cells) {
            reserve(KEY_BYTES + LONGEST_NUMBER);
            ByteBuffer.wrap(bytes).putLong(length, key);
            length += KEY_BYTES;
            count++;
            cellBefore = 0;
            microsBefore = 0;
            number(cells);
        }

        /** Adds a cell; as many as announced. */
        public void cell(int cell, long value) {
            number(cell - cellBefore);
            number(value);
            cellBefore = cell;
        }

        /** Ends the cells and announces steps. */
        public void steps(int steps) {
            number(steps);
        }

        /** Adds a step; as many as announced, in order of time. */
        public void step(int micros, boolean up) {
            number((long) Math.max(0, micros - microsBefore) << 1 | (up ? 1 : 0));
            microsBefore = Math.max(micros, microsBefore);
        }

        /** Adds a connection of a sample. */
        public void key(long key) {
            part(key, 0);
            steps(0);
        }

        public ConnectionParts build() {
            return count == 0 ? EMPTY : new ConnectionParts(Arrays.copyOf(bytes, length), count);
        }

        private void number(long number) {
            reserve(LONGEST_NUMBER);
            long rest = number;
            while (rest >>> 7 != 0) {
                bytes[length++] = (byte) (rest | 0x80);
                rest >>>= 7;
            }
            bytes[length++] = (byte) rest;
        }

        private void reserve(int more) {
            if (bytes.length - length < more) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
        }
    }

    /** The bytes of one connection. */
    private record Piece(long key, byte[] bytes, int from, int to) {}

    /**
     * Returns the connections of several parts together. A connection in two of them is taken from
     * the first.
     */
    public static ConnectionParts together(List<ConnectionParts> all) {
        List<Piece> pieces = new ArrayList<>();
        all.forEach(parts -> parts.pieces(pieces));
        pieces.sort(Comparator.comparing(Piece::key, Long::compareUnsigned));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int count = 0;
        Piece before = null;
        for (Piece piece : pieces) {
            if (before == null || before.key != piece.key) {
                bytes.write(piece.bytes, piece.from, piece.to - piece.from);
                count++;
            }
            before = piece;
        }
        return new ConnectionParts(bytes.toByteArray(), count);
    }

    private void pieces(List<Piece> into) {
        Cursor in = new Cursor(encoded);
        while (in.at < encoded.length) {
            int from = in.at;
            long key = in.key();
            for (long numbers = 2 * in.number(); numbers > 0; numbers--) {
                in.number();
            }
            for (long steps = in.number(); steps > 0; steps--) {
                in.number();
            }
            into.add(new Piece(key, encoded, from, in.at));
        }
    }

    /** Returns the number of connections. */
    public int count() {
        return count;
    }

    /** Returns the number of bytes. */
    public int bytes() {
        return encoded.length;
    }

    /** Passes each connection on, in ascending order of the keys without sign. */
    public void read(Reader reader) {
        var unused = read(encoded, reader);
    }

    /** Returns the keys, in ascending order without sign. */
    public long[] keys() {
        long[] keys = new long[count];
        int[] place = {0};
        read(key -> {
            keys[place[0]++] = key;
            return false;
        });
        return keys;
    }

    /** Returns a copy of the bytes. */
    public byte[] encoded() {
        return encoded.clone();
    }

    private static int read(byte[] encoded, Reader reader) {
        Cursor in = new Cursor(encoded);
        int count = 0;
        long before = 0;
        while (in.at < encoded.length) {
            long key = in.key();
            if (count > 0 && Long.compareUnsigned(before, key) >= 0) {
                throw malformed(encoded, "key " + Long.toHexString(key) + " is not in order");
            }
            if (++count > MOST) {
                throw malformed(encoded, "more than " + MOST + " connections");
            }
            before = key;
            boolean passed = reader.part(key);
            long cells = in.number();
            long cell = -1;
            for (long i = 0; i < cells; i++) {
                long distance = in.number();
                cell = i == 0 ? distance : cell + distance;
                if ((i > 0 && distance == 0) || cell < 0 || cell >= CELLS) {
                    throw malformed(encoded, "cell " + cell);
                }
                long value = in.number();
                if (passed) {
                    reader.cell((int) cell, value);
                }
            }
            long steps = in.number();
            long micros = 0;
            for (long i = 0; i < steps; i++) {
                long step = in.number();
                micros += step >>> 1;
                if (micros < 0 || micros > Integer.MAX_VALUE >>> 1) {
                    throw malformed(encoded, "step after " + micros + " µs");
                }
                if (passed) {
                    reader.step((int) micros, (step & 1) == 1);
                }
            }
        }
        return count;
    }

    /** A position in the bytes. */
    private static final class Cursor {
        private final byte[] bytes;
        private int at;

        Cursor(byte[] bytes) {
            this.bytes = bytes;
        }

        long key() {
            if (bytes.length - at < KEY_BYTES) {
                throw malformed(bytes, "the last key is cut off");
            }
            long key = ByteBuffer.wrap(bytes).getLong(at);
            at += KEY_BYTES;
            return key;
        }

        /** Reads a number of at most 63 bits. */
        long number() {
            long number = 0;
            for (int shift = 0; shift < 63; shift += 7) {
                if (at == bytes.length) {
                    throw malformed(bytes, "the last number is cut off");
                }
                byte next = bytes[at++];
                number |= (long) (next & 0x7F) << shift;
                if (next >= 0) {
                    return number;
                }
            }
            throw malformed(bytes, "a number is longer than 63 bits");
        }
    }

    private static IllegalArgumentException malformed(byte[] encoded, String what) {
        return new IllegalArgumentException("parts: " + encoded.length + " bytes, " + what
                + " (expected: connections in order of their keys, at most " + MOST + ")");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionParts that && Arrays.equals(encoded, that.encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    @Override
    public String toString() {
        return "ConnectionParts[" + count + "]";
    }
}
