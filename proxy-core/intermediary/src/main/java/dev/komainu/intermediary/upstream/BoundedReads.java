package dev.komainu.intermediary.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * A Netty allocator of read buffers with an upper limit for one connection. Netty's estimate from
 * previous reads applies below the limit. When the client is slow, one read must be stored whole in
 * a buffer of that size. On the connection's event loop.
 */
@SuppressWarnings("deprecation") // Netty still requires handles of these types.
final class BoundedReads extends AdaptiveRecvByteBufAllocator {

    private int maxBytes = Integer.MAX_VALUE;

    /** Limits the reads from the next one on. */
    void setMaxBytes(int bytes) {
        maxBytes = bytes;
    }

    @Override
    public Handle newHandle() {
        return new BoundedHandle(super.newHandle());
    }

    private final class BoundedHandle extends DelegatingHandle implements ExtendedHandle {

        BoundedHandle(Handle delegate) {
            super(delegate);
        }

        @Override
        public int guess() {
            return Math.min(maxBytes, super.guess());
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator from) {
            return from.ioBuffer(guess());
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier perhapsMore) {
            return delegate() instanceof ExtendedHandle extended
                    ? extended.continueReading(perhapsMore)
                    : continueReading();
        }
    }
}
