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

    private int most = Integer.MAX_VALUE;

    /** From the next read on. */
    void most(int bytes) {
        most = bytes;
    }

    @Override
    public Handle newHandle() {
        return new Bounded(super.newHandle());
    }

    private final class Bounded extends DelegatingHandle implements ExtendedHandle {

        Bounded(Handle guessing) {
            super(guessing);
        }

        @Override
        public int guess() {
            return Math.min(most, super.guess());
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
