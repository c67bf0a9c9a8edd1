package dev.komainu.intermediary.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;

/**
 * A tunnel between two channels of one event loop; each writes the bytes that the other reads. A
 * side is not read while the other cannot be written. The end of one direction is forwarded as
 * such, so that half-closed conversations complete. A side that closes before it ended its output
 * resets the other, so that its peer does not take a part for the whole.
 */
// The handler is notified when a channel has closed.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Tunnel {

    private final Side client;
    private final Side target;
    private final Runnable ended;
    private boolean done;

    /**
     * Creates a tunnel that does not relay yet.
     *
     * @param ended called once, when both channels are closed
     */
    public Tunnel(Channel client, Channel target, Runnable ended) {
        this.client = new Side(client);
        this.target = new Side(target);
        this.ended = ended;
    }

    /**
     * Begins to relay. Takes ownership of {@code early}, the bytes that the client sent after its
     * CONNECT.
     */
    public void begin(ByteBuf early) {
        client.join();
        target.join();
        target.write(early);
        target.flushOutput();
        client.read(true);
        target.read(true);
    }

    /** Returns the bytes sent to the target. */
    public long upBytes() {
        return target.sentBytes();
    }

    /** Returns the bytes sent to the client. */
    public long downBytes() {
        return client.sentBytes();
    }

    private void closed() {
        if (!done) {
            done = true;
            client.finishIfOpen();
            target.finishIfOpen();
            ended.run();
        }
    }

    private void resetBoth() {
        if (!done) {
            done = true;
            client.reset();
            target.reset();
            ended.run();
        }
    }

    private final class Side extends TunnelChannel {

        Side(Channel channel) {
            super(channel);
        }

        private Side other() {
            return this == client ? target : client;
        }

        void finishIfOpen() {
            if (channel().isActive()) {
                finish();
            }
        }

        @Override
        protected void received(ByteBuf bytes) {
            other().write(bytes);
        }

        @Override
        protected void flush() {
            other().flushOutput();
        }

        @Override
        protected boolean acceptsMore() {
            return other().hasRoom();
        }

        @Override
        protected void writable(boolean hasRoom) {
            other().read(hasRoom);
        }

        /**
         * Ends the other side's output. Over TLS the target's FIN may arrive between the client's
         * close_notify and its FIN; so this is also called for the second.
         */
        @Override
        protected void ended(boolean again) {
            Side other = other();
            other.afterWrites(done -> {
                if (other.channel() instanceof DuplexChannel duplex && duplex.isActive()) {
                    if (duplex.isInputShutdown()) {
                        Tunnel.this.closed();
                    } else {
                        other.endOutputNow();
                    }
                }
            });
        }

        @Override
        protected void closed() {
            if (hasEnded()) {
                Tunnel.this.closed();
            } else {
                resetBoth();
            }
        }

        /** Resets this side, also for bytes that could not be written. */
        @Override
        protected void failed(Throwable cause) {
            reset();
        }

        /**
         * Closes this side. Called for the end of the output only, when both sides have ended
         * theirs.
         */
        @Override
        protected void writeFailed(Throwable cause) {
            channel().close();
        }
    }
}
