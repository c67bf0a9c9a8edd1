package dev.komainu.intermediary.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * How much one connection's next read may bring: as Netty guesses from the last ones, and no more
 * than it is told. Of a reader that is slow one read must be held whole, in a buffer of that size.
 * One for each connection, on its event loop.
 */
@SuppressWarnings("deprecation") // Netty asks for handles of these kinds all the same.
final class BoundedReads extends AdaptiveRecvByteBufAllocator {

    private int maxBytes = Integer.MAX_VALUE;

    /** From the next read on. */
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
