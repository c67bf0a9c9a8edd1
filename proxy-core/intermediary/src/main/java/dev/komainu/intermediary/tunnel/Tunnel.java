package dev.komainu.intermediary.tunnel;

import dev.komainu.intermediary.connection.LastWord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;

/**
 * Two channels of one event loop, each writing what the other reads. A side that cannot be written to is not read for;
 * the end of one direction is passed on as such, so that half-closed conversations finish. A side that goes before it said its
 * end resets the other: nobody takes half of it for the whole.
 */
public final class Tunnel {

    private final Channel client;
    private final Channel target;
    private final Runnable ended;
    private long up;
    private long down;
    private boolean over;

    /** @param ended called once, when both channels are closed */
    public Tunnel(Channel client, Channel target, Runnable ended) {
        this.client = client;
        this.target = target;
        this.ended = ended;
    }

    /** Begins to relay; {@code early} is what the client sent behind its CONNECT. Takes it over. */
    public void begin(ByteBuf early) {
        client.pipeline().addLast(new Side(target, true));
        target.pipeline().addLast(new Side(client, false));
        up += early.readableBytes();
        target.writeAndFlush(early, target.voidPromise());
        client.config().setAutoRead(true);
        target.config().setAutoRead(true);
    }

    public long upBytes() {
        return up;
    }

    public long downBytes() {
        return down;
    }

    private void closed() {
        if (!over) {
            over = true;
            finish(client);
            finish(target);
            ended.run();
        }
    }

    private void brokenOff() {
        if (!over) {
            over = true;
            reset(client);
            reset(target);
            ended.run();
        }
    }

    private static void reset(Channel side) {
        if (side.isActive()) {
            side.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        LastWord.cutOff(side);
    }

    private static void finish(Channel side) {
        if (side.isActive()) {
            side.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private final class Side extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private final boolean fromClient;
        private boolean saidAll;

        Side(Channel other, boolean fromClient) {
            this.other = other;
            this.fromClient = fromClient;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            int size = ((ByteBuf) message).readableBytes();
            if (fromClient) {
                up += size;
            } else {
                down += size;
            }
            other.write(message, other.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
            ctx.channel().config().setAutoRead(other.isWritable());
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            other.config().setAutoRead(ctx.channel().isWritable());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent || event == SslCloseCompletionEvent.SUCCESS) {
                saidAll = true;
                other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
                    if (other.isActive() && other instanceof DuplexChannel duplex) {
                        if (duplex.isInputShutdown()) {
                            closed();
                        } else {
                            LastWord.endOutput(other);
                        }
                    }
                });
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (saidAll) {
                closed();
            } else {
                brokenOff();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Also of what could not be written to it.
            reset(ctx.channel());
        }
    }
}
