package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Asked;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * CONNECT over a stream (RFC 9113 section 8.5): DATA frames on the client's side, a TCP connection on the other.
 * END_STREAM stands for FIN, RST_STREAM for RST. Each side is read no faster than the other takes: the client's window is
 * given back when the target's socket has the bytes, the target is not read while the stream has no room.
 *
 * <p>However a tunnel ends before both sides have said their end, and all of it is written, both are reset: nobody takes half of it for the whole.
 */
final class StreamTunnel extends ChannelInboundHandlerAdapter {

    private final Worker worker;
    private final Http2ClientStream client;
    private final Ledger ledger;
    private final RequestHead head;
    private final Origin to;
    private final long startNanos;
    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable Channel target;
    private Asked asked;
    private boolean clientEnded;
    private boolean targetEnded;
    private boolean saidFin;
    private boolean broken;
    private boolean over;
    private long up;
    private long down;

    StreamTunnel(Worker worker, Http2ClientStream client, Ledger ledger, RequestHead head, Origin to, long startNanos) {
        this.worker = worker;
        this.client = client;
        this.ledger = ledger;
        this.head = head;
        this.to = to;
        this.asked = Asked.nobody(to);
        this.startNanos = startNanos;
    }

    void dial() {
        worker.tally.inFlight++;
        worker.origins().dialBare(to, (dialled, failure) -> {
            if (over) {
                if (dialled != null) {
                    dialled.close();
                }
            } else if (dialled == null) {
                over = true;
                worker.tally.inFlight--;
                release();
                client.undialled(
                        head,
                        failure == null ? 502 : failure.status(),
                        failure == null ? "No connection" : failure.message(),
                        startNanos);
            } else {
                begin(dialled);
            }
        });
    }

    private void begin(Channel dialled) {
        target = dialled;
        asked = new Asked(to.toString(), (InetSocketAddress) dialled.remoteAddress(), -1);
        dialled.pipeline().addLast(this);
        client.established(startNanos);
        while (!early.isEmpty()) {
            relay(dialled, early.remove());
        }
        if (clientEnded) {
            shutdown(dialled);
        }
        if (over) {
            return;
        }
        dialled.config().setAutoRead(true);
    }

    /** From the client. What is not done with at once is given back to its window later. */
    void data(ByteBuf bytes, boolean ends) {
        Channel to = target;
        clientEnded |= ends;
        if (over) {
            client.consumed(bytes.readableBytes());
        } else if (to == null) {
            early.add(bytes.retainedSlice());
        } else {
            relay(to, bytes.retainedSlice());
            if (ends) {
                shutdown(to);
            }
        }
    }

    private void relay(Channel to, ByteBuf bytes) {
        int size = bytes.readableBytes();
        up += size;
        to.writeAndFlush(bytes).addListener(done -> {
            if (done.isSuccess()) {
                client.consumed(size);
            } else {
                breakOff(done.cause());
            }
        });
    }

    /** FIN behind what is written. */
    private void shutdown(Channel to) {
        to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (!done.isSuccess()) {
                breakOff(done.cause());
            } else if (to.isActive() && to instanceof DuplexChannel duplex) {
                saidFin = true;
                duplex.shutdownOutput();
            }
        });
    }

    /** The stream has room again. */
    void resume() {
        if (target != null) {
            target.config().setAutoRead(true);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        down += bytes.readableBytes();
        client.write(bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        client.flushLater();
        ctx.channel().config().setAutoRead(client.isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            targetEnds();
        }
    }

    private void targetEnds() {
        if (!targetEnded && !over) {
            targetEnded = true;
            client.tunnelEnds();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!over && !(targetEnded && clientEnded)) {
            breakOff(new ClosedChannelException());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        breakOff(cause);
    }

    /** The client's connection says no more; this stream's end may not be among what it said. */
    void inputEnded() {
        if (!over && !clientEnded) {
            close();
            client.tunnelBreaks(Http2Error.CANCEL);
        }
    }

    private void breakOff(Throwable cause) {
        if (over) {
            // The client has heard all there was; the target has not.
            cutOff();
            return;
        }
        broken = true;
        if (isOfTheTarget(cause)) {
            worker.tally.tunnelsReset++;
            client.tunnelBreaks(Http2Error.CONNECT_ERROR);
        } else {
            worker.tally.tunnelsFailed++;
            client.tunnelFails(cause);
        }
        close();
    }

    /** Output that somebody shut down beneath a write is no peer's deed, though it is an IOException. */
    static boolean isOfTheTarget(Throwable cause) {
        return cause instanceof IOException && !(cause instanceof ChannelOutputShutdownException);
    }

    private void cutOff() {
        Channel had = target;
        if (had != null && had.isActive()) {
            had.config().setOption(ChannelOption.SO_LINGER, 0);
            had.close();
        }
    }

    /** The stream is closed, or about to be. */
    void close() {
        if (over) {
            return;
        }
        over = true;
        worker.tally.inFlight--;
        release();
        Channel had = target;
        if (had == null) {
            ledger.abandoned(head, CacheOutcome.TUNNEL, asked, startNanos);
            return;
        }
        ledger.tunnelled(up, down);
        ledger.count(head, 200, CacheOutcome.TUNNEL, asked, startNanos);
        if (!broken && clientEnded && targetEnded) {
            had.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
                if (done.isSuccess() || saidFin) {
                    had.close();
                } else {
                    cutOff();
                }
            });
            return;
        }
        if (!broken) {
            worker.tally.tunnelsLeft++;
        }
        cutOff();
    }

    private void release() {
        early.forEach(ByteBuf::release);
        early.clear();
    }
}
