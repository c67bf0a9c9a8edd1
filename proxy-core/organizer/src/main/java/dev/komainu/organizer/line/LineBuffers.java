package dev.komainu.organizer.line;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;

/** Memory of connections between organizers. */
public final class LineBuffers {

    /** What all connections of an organizer take their buffers from. */
    public static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    /**
     * What Netty holds of one connection, behind the kernel's {@link LineSettings#notSentBytes}.
     */
    public static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(32 << 10, 64 << 10);

    private LineBuffers() {}
}
