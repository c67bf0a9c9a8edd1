package dev.komainu.organizer.line;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;

/** Buffer settings of the connections between organizers. */
public final class LineBuffers {

    /** The allocator of all connections of an organizer. */
    public static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    /**
     * The bytes that Netty buffers for one connection, behind the kernel's
     * {@link LineSettings#notSentBytes}.
     */
    public static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(32 << 10, 64 << 10);

    private LineBuffers() {}
}
