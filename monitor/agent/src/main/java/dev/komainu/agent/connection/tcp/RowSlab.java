package dev.komainu.agent.connection.tcp;

import java.util.Arrays;

/**
 * Slab of rows of equal size in plain int arrays, allocated and freed by number.
 *
 * <p>Objects would cost a header and a pointer each, and the garbage collector would traverse a
 * million of them; rows cost only their bytes. Growing adds a chunk and never copies one, so there
 * is no pause. A freed row stores the number of the next free one in its first word. Single thread.
 *
 * <p>Offsets are in bytes, so that a layout can be drawn: an int or a long lies at a multiple of
 * four, a short at a multiple of two. Words and shifts replace views over bytes: every compiler
 * makes one instruction of them, in a twentieth of the time. Compiling was half of the cost of
 * analysing a file.
 */
public final class RowSlab {

    /** Reference to no row. */
    public static final int NONE = -1;

    private static final int SHIFT = 8;
    private static final int MASK = (1 << SHIFT) - 1;

    private final int rowWords;
    private final int cap;
    private int[][] chunks = new int[4][];
    private int everUsed;
    private int used;
    private int firstFree = NONE;

    /**
     * Creates an empty slab.
     *
     * @param rowBytes a multiple of four
     * @param cap most rows in use at once
     */
    public RowSlab(int rowBytes, int cap) {
        this.rowWords = rowBytes / 4;
        this.cap = cap;
    }

    /** Returns a zeroed row, or {@link #NONE} at the cap. */
    public int allocate() {
        if (used == cap) {
            return NONE;
        }
        used++;
        if (firstFree != NONE) {
            int row = firstFree;
            int[] chunk = chunk(row);
            int base = base(row);
            firstFree = chunk[base];
            Arrays.fill(chunk, base, base + rowWords, 0);
            return row;
        }
        int row = everUsed++;
        int chunk = row >> SHIFT;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunk * 2);
        }
        if ((row & MASK) == 0) {
            chunks[chunk] = new int[rowWords << SHIFT];
        }
        return row;
    }

    public void free(int row) {
        chunk(row)[base(row)] = firstFree;
        firstFree = row;
        used--;
    }

    /** Returns the rows in use. */
    public int used() {
        return used;
    }

    int[] chunk(int row) {
        return chunks[row >> SHIFT];
    }

    int base(int row) {
        return (row & MASK) * rowWords;
    }

    /** Returns the int at an offset in bytes. */
    public int intAt(int row, int offset) {
        return chunk(row)[base(row) + (offset >> 2)];
    }

    public void setInt(int row, int offset, int value) {
        chunk(row)[base(row) + (offset >> 2)] = value;
    }

    /** Returns the long at an offset in bytes. */
    public long longAt(int row, int offset) {
        return longAt(chunk(row), base(row) + (offset >> 2));
    }

    public void setLong(int row, int offset, long value) {
        setLong(chunk(row), base(row) + (offset >> 2), value);
    }

    int byteAt(int row, int offset) {
        return (byte) (intAt(row, offset) >> shift(offset));
    }

    void setByte(int row, int offset, int value) {
        setInt(row, offset, withByte(intAt(row, offset), offset, value));
    }

    /** Returns the unsigned short at an offset in bytes. */
    public int ushortAt(int row, int offset) {
        return intAt(row, offset) >> shift(offset) & 0xffff;
    }

    public void setShort(int row, int offset, int value) {
        setInt(row, offset, withShort(intAt(row, offset), offset, value));
    }

    static long longAt(int[] words, int at) {
        return (long) words[at + 1] << 32 | (words[at] & 0xffff_ffffL);
    }

    static void setLong(int[] words, int at, long value) {
        words[at] = (int) value;
        words[at + 1] = (int) (value >> 32);
    }

    /** Returns the shift, in bits, of the byte or short at this offset within its word. */
    static int shift(int offset) {
        return (offset & 3) << 3;
    }

    static int withByte(int word, int offset, int value) {
        return (word & ~(0xff << shift(offset))) | (value & 0xff) << shift(offset);
    }

    static int withShort(int word, int offset, int value) {
        return (word & ~(0xffff << shift(offset))) | (value & 0xffff) << shift(offset);
    }
}
