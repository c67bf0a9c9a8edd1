package dev.komainu.intermediary.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;

/**
 * Two channels of one event loop, each writing what the other reads. A side that cannot be written
 * to is not read for; the end of one direction is passed on as such, so that half-closed
 * conversations finish. A side that closes before it ended its output resets the other, whose peer
 * then does not take a part for the whole.
 */
public final class Tunnel {

    private final Side client;
    private final Side target;
    private final Runnable ended;
    private boolean done;

    /** @param ended called once, when both channels are closed */
    public Tunnel(Channel client, Channel target, Runnable ended) {
        this.client = new Side(client);
        this.target = new Side(target);
        this.ended = ended;
    }

    /** Begins to relay; {@code early} is what the client sent behind its CONNECT. Takes it over. */
    public void begin(ByteBuf early) {
        client.join();
        target.join();
        target.write(early);
        target.flushOutput();
        client.read(true);
        target.read(true);
    }

    public long upBytes() {
        return target.sentBytes();
    }

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
         * Over TLS the target's FIN may come between the client's close_notify and its FIN: so the
         * second counts, too.
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

        /** Also of what could not be written. */
        @Override
        protected void failed(Throwable cause) {
            reset();
        }

        /** Of the end alone, when both sides have said theirs. */
        @Override
        protected void writeFailed(Throwable cause) {
            channel().close();
        }
    }
}
