package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.tunnel.TunnelChannel;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Error;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A tunnel over an HTTP/2 stream: CONNECT (RFC 9113 section 8.5), with DATA frames on the client's
 * side and a TCP connection on the other. END_STREAM stands for FIN, RST_STREAM for RST. Each side
 * is read no faster than the other accepts: the client's window is returned when the target's
 * socket has the bytes, and the target is not read while the stream has no room.
 *
 * <p>When a tunnel ends before both sides have sent their end and all bytes are written, both sides
 * are reset, so that neither takes a part for the whole.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close ends on its own
final class StreamTunnel {

    private final LoopContext context;
    private final Http2ClientStream client;
    private final ExchangeAccounting accounting;
    private final RequestHead head;
    private final Origin origin;
    private final long startNanos;
    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable Target target;
    private UpstreamInfo upstream;
    private boolean clientEnded;
    private boolean broken;
    private boolean isClosed;

    StreamTunnel(
            LoopContext context,
            Http2ClientStream client,
            ExchangeAccounting accounting,
            RequestHead head,
            Origin origin,
            long startNanos) {
        this.context = context;
        this.client = client;
        this.accounting = accounting;
        this.head = head;
        this.origin = origin;
        this.upstream = UpstreamInfo.none(origin);
        this.startNanos = startNanos;
    }

    void dial() {
        context.tally.inFlight++;
        context.origins().connectUnpooled(origin, (dialled, failure) -> {
            if (isClosed) {
                if (dialled != null) {
                    dialled.close();
                }
            } else if (dialled == null) {
                isClosed = true;
                context.tally.inFlight--;
                release();
                client.dialFailed(
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
        Target reached = new Target(dialled);
        target = reached;
        upstream = new UpstreamInfo(
                origin.toString(), (InetSocketAddress) dialled.remoteAddress(), -1);
        reached.join();
        client.established(startNanos);
        while (!early.isEmpty()) {
            reached.send(early.remove());
        }
        if (clientEnded) {
            reached.endOutput();
        }
        if (isClosed) {
            return;
        }
        reached.read(true);
    }

    /**
     * Relays bytes from the client. Bytes that are not written at once are returned to its window
     * later.
     */
    void data(ByteBuf bytes, boolean ends) {
        Target to = target;
        clientEnded |= ends;
        if (isClosed) {
            client.consumed(bytes.readableBytes());
        } else if (to == null) {
            early.add(bytes.retainedSlice());
        } else {
            to.send(bytes.retainedSlice());
            if (ends) {
                to.endOutput();
            }
        }
    }

    /** Resumes reading from the target; the stream has room again. */
    void resume() {
        if (target != null) {
            target.read(true);
        }
    }

    /**
     * Handles the end of input of the client's connection; this stream's end may not have been
     * received.
     */
    void inputEnded() {
        if (!isClosed && !clientEnded) {
            close();
            client.resetTunnel(Http2Error.CANCEL);
        }
    }

    private void breakOff(Throwable cause) {
        if (isClosed) {
            // The client has received all bytes; the target has not.
            resetTarget();
            return;
        }
        broken = true;
        if (TunnelChannel.isPeerFault(cause)) {
            context.tally.tunnelsReset++;
            client.resetTunnel(Http2Error.CONNECT_ERROR);
        } else {
            context.tally.tunnelsFailed++;
            client.failTunnel(cause);
        }
        close();
    }

    private void resetTarget() {
        Target current = target;
        if (current != null) {
            current.reset();
        }
    }

    /** Ends the tunnel; the stream is closed, or is being closed. */
    void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        context.tally.inFlight--;
        release();
        Target current = target;
        if (current == null) {
            accounting.abandoned(head, CacheOutcome.TUNNEL, upstream, startNanos);
            return;
        }
        accounting.tunnelled(current.sentBytes(), current.receivedBytes());
        accounting.count(head, 200, CacheOutcome.TUNNEL, upstream, startNanos);
        if (!broken && clientEnded && current.hasEnded()) {
            current.finish();
            return;
        }
        if (!broken) {
            context.tally.tunnelsLeft++;
        }
        resetTarget();
    }

    private void release() {
        early.forEach(ByteBuf::release);
        early.clear();
    }

    /** The target's side. */
    private final class Target extends TunnelChannel {

        Target(Channel channel) {
            super(channel);
        }

        @Override
        protected void received(ByteBuf bytes) {
            client.write(bytes);
        }

        @Override
        protected void flush() {
            client.flushLater();
        }

        @Override
        protected boolean acceptsMore() {
            return client.isWritable();
        }

        @Override
        protected void written(int bytes) {
            client.consumed(bytes);
        }

        @Override
        protected void ended(boolean again) {
            if (!again && !isClosed) {
                client.endTunnel();
            }
        }

        @Override
        protected void closed() {
            if (!isClosed && !(hasEnded() && clientEnded)) {
                breakOff(new ClosedChannelException());
            }
        }

        @Override
        protected void failed(Throwable cause) {
            breakOff(cause);
        }

        @Override
        protected void writeFailed(Throwable cause) {
            breakOff(cause);
        }
    }
}
