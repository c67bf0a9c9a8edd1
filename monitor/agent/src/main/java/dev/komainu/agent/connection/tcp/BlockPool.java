package dev.komainu.agent.connection.tcp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Pool of byte blocks of equal size, allocated and freed by number. It stores texts and handshake
 * messages, as {@link RowSlab} stores numbers. The first four bytes of a block are a number: the
 * owner defines its meaning while the block is in use; in a free block it is the next free one.
 * Single thread.
 */
public final class BlockPool {

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int SHIFT = 8;
    private static final int MASK = (1 << SHIFT) - 1;

    private final int blockBytes;
    private final int cap;
    private byte[][] chunks = new byte[4][];
    private int everUsed;
    private int used;
    private int firstFree = RowSlab.NONE;

    /**
     * Creates an empty pool.
     *
     * @param cap most blocks in use at once
     */
    public BlockPool(int blockBytes, int cap) {
        this.blockBytes = blockBytes;
        this.cap = cap;
    }

    /** Returns a zeroed block, or {@link RowSlab#NONE} at the cap. */
    public int allocate() {
        if (used == cap) {
            return RowSlab.NONE;
        }
        used++;
        if (firstFree != RowSlab.NONE) {
            int block = firstFree;
            byte[] chunk = chunk(block);
            int base = base(block);
            firstFree = (int) INT.get(chunk, base);
            Arrays.fill(chunk, base, base + blockBytes, (byte) 0);
            return block;
        }
        int block = everUsed++;
        int chunk = block >> SHIFT;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunk * 2);
        }
        if ((block & MASK) == 0) {
            chunks[chunk] = new byte[blockBytes << SHIFT];
        }
        return block;
    }

    public void free(int block) {
        INT.set(chunk(block), base(block), firstFree);
        firstFree = block;
        used--;
    }

    /** Returns the blocks in use. */
    public int used() {
        return used;
    }

    public byte[] chunk(int block) {
        return chunks[block >> SHIFT];
    }

    /** Returns the offset of a block in its {@link #chunk}. */
    public int base(int block) {
        return (block & MASK) * blockBytes;
    }

    /** Returns the number at the head of a block. */
    public int headOf(int block) {
        return (int) INT.get(chunk(block), base(block));
    }

    public void setHead(int block, int value) {
        INT.set(chunk(block), base(block), value);
    }
}
