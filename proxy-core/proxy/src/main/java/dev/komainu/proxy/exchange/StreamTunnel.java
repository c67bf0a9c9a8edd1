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
 * CONNECT over a stream (RFC 9113 section 8.5): DATA frames on the client's side, a TCP connection
 * on the other. END_STREAM stands for FIN, RST_STREAM for RST. Each side is read no faster than the
 * other takes: the client's window is given back when the target's socket has the bytes, the target
 * is not read while the stream has no room.
 *
 * <p>However a tunnel ends before both sides have said their end, and all of it is written, both
 * are reset, so that neither takes a part for the whole.
 */
final class StreamTunnel {

    private final LoopContext worker;
    private final Http2ClientStream client;
    private final ExchangeAccounting ledger;
    private final RequestHead head;
    private final Origin to;
    private final long startNanos;
    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable Target target;
    private UpstreamInfo asked;
    private boolean clientEnded;
    private boolean broken;
    private boolean over;

    StreamTunnel(
            LoopContext worker,
            Http2ClientStream client,
            ExchangeAccounting ledger,
            RequestHead head,
            Origin to,
            long startNanos) {
        this.worker = worker;
        this.client = client;
        this.ledger = ledger;
        this.head = head;
        this.to = to;
        this.asked = UpstreamInfo.none(to);
        this.startNanos = startNanos;
    }

    void dial() {
        worker.tally.inFlight++;
        worker.origins().connectUnpooled(to, (dialled, failure) -> {
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
        Target reached = new Target(dialled);
        target = reached;
        asked = new UpstreamInfo(to.toString(), (InetSocketAddress) dialled.remoteAddress(), -1);
        reached.join();
        client.established(startNanos);
        while (!early.isEmpty()) {
            reached.send(early.remove());
        }
        if (clientEnded) {
            reached.endOutput();
        }
        if (over) {
            return;
        }
        reached.read(true);
    }

    /** From the client. What is not done with at once is given back to its window later. */
    void data(ByteBuf bytes, boolean ends) {
        Target to = target;
        clientEnded |= ends;
        if (over) {
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

    /** The stream has room again. */
    void resume() {
        if (target != null) {
            target.read(true);
        }
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
        if (TunnelChannel.isPeerFault(cause)) {
            worker.tally.tunnelsReset++;
            client.tunnelBreaks(Http2Error.CONNECT_ERROR);
        } else {
            worker.tally.tunnelsFailed++;
            client.tunnelFails(cause);
        }
        close();
    }

    private void cutOff() {
        Target had = target;
        if (had != null) {
            had.reset();
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
        Target had = target;
        if (had == null) {
            ledger.abandoned(head, CacheOutcome.TUNNEL, asked, startNanos);
            return;
        }
        ledger.tunnelled(had.sentBytes(), had.receivedBytes());
        ledger.count(head, 200, CacheOutcome.TUNNEL, asked, startNanos);
        if (!broken && clientEnded && had.hasEnded()) {
            had.finish();
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
            if (!again && !over) {
                client.tunnelEnds();
            }
        }

        @Override
        protected void closed() {
            if (!over && !(hasEnded() && clientEnded)) {
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
