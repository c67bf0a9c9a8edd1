package dev.komainu.proxy.cache.memory;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A run of a slab as a buffer: an offset into the slab's one buffer. A buffer object of its own
 * would cost each stored object as much heap again. Returns to its {@link BodyMemory} with its last
 * reference.
 */
public final class SlabBuffer extends AbstractReferenceCountedByteBuf {

    final Slab slab;
    /** The first unit. */
    final int firstUnit;
    /** Guarded by the memory. */
    int units;

    /**
     * Creates a buffer.
     *
     * @param bytes its capacity; the rest of its units is for the head of the stored object
     */
    SlabBuffer(Slab slab, int firstUnit, int units, int bytes) {
        super(bytes);
        this.slab = slab;
        this.firstUnit = firstUnit;
        this.units = units;
    }

    private int from() {
        return firstUnit * Slab.UNIT;
    }

    private int position(int index, int length) {
        checkIndex(index, length);
        return from() + index;
    }

    /** Returns the bytes of its units behind the written bytes. */
    public int spare() {
        return units * Slab.UNIT - writerIndex();
    }

    /**
     * Writes at any index within its units, without a change of an index. Thread-safe beside other
     * uses of the slab.
     */
    public void put(int index, byte[] bytes) {
        slab.put(from() + index, bytes);
    }

    /** Appends bytes from any index within its units to {@code out}. */
    public void copy(int index, int length, ByteBuf out) {
        out.writeBytes(slab.whole, from() + index, length);
    }

    /** Copies bytes from any index within its units to the beginning of {@code out}. */
    public void copy(int index, byte[] out, int length) {
        slab.get(from() + index, out, length);
    }

    @Override
    protected void deallocate() {
        slab.owner.free(this);
    }

    @Override
    public int capacity() {
        return maxCapacity();
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        throw new UnsupportedOperationException("a run does not grow");
    }

    @Override
    public ByteBufAllocator alloc() {
        return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // abstract in Netty
    public ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    @SuppressWarnings("NullAway") // Netty's word for "wraps nothing"
    public ByteBuf unwrap() {
        return null;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("direct memory");
    }

    @Override
    public int arrayOffset() {
        throw new UnsupportedOperationException("direct memory");
    }

    @Override
    public boolean hasMemoryAddress() {
        return slab.whole.hasMemoryAddress();
    }

    @Override
    public long memoryAddress() {
        return slab.whole.memoryAddress() + from();
    }

    @Override
    public int nioBufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int length) {
        return slab.whole.nioBuffer(position(index, length), length);
    }

    @Override
    public ByteBuffer internalNioBuffer(int index, int length) {
        // Never the slab's own buffer: event loops send from the same slab at the same time.
        return nioBuffer(index, length);
    }

    @Override
    public ByteBuffer[] nioBuffers(int index, int length) {
        return new ByteBuffer[] {nioBuffer(index, length)};
    }

    @Override
    public ByteBuf copy(int index, int length) {
        return slab.whole.copy(position(index, length), length);
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuf to, int at, int length) {
        slab.whole.getBytes(position(index, length), to, at, length);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] to, int at, int length) {
        slab.whole.getBytes(position(index, length), to, at, length);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer to) {
        slab.whole.getBytes(position(index, to.remaining()), to);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream to, int length) throws IOException {
        slab.whole.getBytes(position(index, length), to, length);
        return this;
    }

    @Override
    public int getBytes(int index, GatheringByteChannel to, int length) throws IOException {
        return to.write(nioBuffer(index, length));
    }

    @Override
    public int getBytes(int index, FileChannel to, long position, int length) throws IOException {
        return to.write(nioBuffer(index, length), position);
    }

    // Written by absolute positions: where Netty has no Unsafe, the slab's own setters pass through
    // one buffer that all event loops share.

    @Override
    public ByteBuf setBytes(int index, ByteBuf source, int at, int length) {
        int to = position(index, length);
        for (ByteBuffer piece : source.nioBuffers(at, length)) {
            slab.put(to, piece);
            to += piece.remaining();
        }
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, byte[] source, int at, int length) {
        slab.put(position(index, length), ByteBuffer.wrap(source, at, length));
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuffer source) {
        slab.put(position(index, source.remaining()), source);
        source.position(source.limit());
        return this;
    }

    @Override
    public int setBytes(int index, InputStream source, int length) throws IOException {
        byte[] bytes = new byte[Math.min(length, 8192)];
        int count = source.read(bytes, 0, bytes.length);
        if (count > 0) {
            setBytes(index, bytes, 0, count);
        }
        return count;
    }

    @Override
    public int setBytes(int index, ScatteringByteChannel source, int length) throws IOException {
        return source.read(nioBuffer(index, length));
    }

    @Override
    public int setBytes(int index, FileChannel source, long position, int length)
            throws IOException {
        return source.read(nioBuffer(index, length), position);
    }

    @Override
    protected byte _getByte(int index) {
        return slab.whole.getByte(from() + index);
    }

    @Override
    protected short _getShort(int index) {
        return slab.whole.getShort(from() + index);
    }

    @Override
    protected short _getShortLE(int index) {
        return slab.whole.getShortLE(from() + index);
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        return slab.whole.getUnsignedMedium(from() + index);
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        return slab.whole.getUnsignedMediumLE(from() + index);
    }

    @Override
    protected int _getInt(int index) {
        return slab.whole.getInt(from() + index);
    }

    @Override
    protected int _getIntLE(int index) {
        return slab.whole.getIntLE(from() + index);
    }

    @Override
    protected long _getLong(int index) {
        return slab.whole.getLong(from() + index);
    }

    @Override
    protected long _getLongLE(int index) {
        return slab.whole.getLongLE(from() + index);
    }

    @Override
    protected void _setByte(int index, int value) {
        slab.whole.setByte(from() + index, value);
    }

    @Override
    protected void _setShort(int index, int value) {
        slab.whole.setShort(from() + index, value);
    }

    @Override
    protected void _setShortLE(int index, int value) {
        slab.whole.setShortLE(from() + index, value);
    }

    @Override
    protected void _setMedium(int index, int value) {
        slab.whole.setMedium(from() + index, value);
    }

    @Override
    protected void _setMediumLE(int index, int value) {
        slab.whole.setMediumLE(from() + index, value);
    }

    @Override
    protected void _setInt(int index, int value) {
        slab.whole.setInt(from() + index, value);
    }

    @Override
    protected void _setIntLE(int index, int value) {
        slab.whole.setIntLE(from() + index, value);
    }

    @Override
    protected void _setLong(int index, long value) {
        slab.whole.setLong(from() + index, value);
    }

    @Override
    protected void _setLongLE(int index, long value) {
        slab.whole.setLongLE(from() + index, value);
    }
}
