package dev.komainu.agent.connection;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Rows of equal size in plain byte arrays, handed out and taken back by number.
 *
 * <p>Objects would cost a header and a pointer each and make the collector walk a million of them; rows cost their bytes.
 * Growing adds a chunk and never copies one, so there is no pause. A freed row keeps the number of the next free one in
 * its first four bytes. Single thread.
 */
final class Slab {

    /** "No row". */
    static final int NONE = -1;

    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SHIFT = 8;
    private static final int MASK = (1 << SHIFT) - 1;

    private final int rowBytes;
    private final int cap;
    private byte[][] chunks = new byte[4][];
    private int everUsed;
    private int used;
    private int firstFree = NONE;

    /** @param cap most rows in use at once */
    Slab(int rowBytes, int cap) {
        this.rowBytes = rowBytes;
        this.cap = cap;
    }

    /** A zeroed row, or {@link #NONE} at the cap. */
    int allocate() {
        if (used == cap) {
            return NONE;
        }
        used++;
        if (firstFree != NONE) {
            int row = firstFree;
            byte[] chunk = chunk(row);
            int base = base(row);
            firstFree = (int) INT.get(chunk, base);
            Arrays.fill(chunk, base, base + rowBytes, (byte) 0);
            return row;
        }
        int row = everUsed++;
        int chunk = row >> SHIFT;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunk * 2);
        }
        if ((row & MASK) == 0) {
            chunks[chunk] = new byte[rowBytes << SHIFT];
        }
        return row;
    }

    void free(int row) {
        INT.set(chunk(row), base(row), firstFree);
        firstFree = row;
        used--;
    }

    int used() {
        return used;
    }

    byte[] chunk(int row) {
        return chunks[row >> SHIFT];
    }

    int base(int row) {
        return (row & MASK) * rowBytes;
    }

    int intAt(int row, int offset) {
        return (int) INT.get(chunk(row), base(row) + offset);
    }

    void setInt(int row, int offset, int value) {
        INT.set(chunk(row), base(row) + offset, value);
    }

    long longAt(int row, int offset) {
        return (long) LONG.get(chunk(row), base(row) + offset);
    }

    void setLong(int row, int offset, long value) {
        LONG.set(chunk(row), base(row) + offset, value);
    }

    int byteAt(int row, int offset) {
        return chunk(row)[base(row) + offset];
    }

    void setByte(int row, int offset, int value) {
        chunk(row)[base(row) + offset] = (byte) value;
    }

    int ushortAt(int row, int offset) {
        return (short) SHORT.get(chunk(row), base(row) + offset) & 0xffff;
    }

    void setShort(int row, int offset, int value) {
        SHORT.set(chunk(row), base(row) + offset, (short) value);
    }
}
