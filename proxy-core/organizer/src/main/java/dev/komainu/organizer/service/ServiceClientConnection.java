package dev.komainu.organizer.service;

import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.tunnel.StreamRelay;
import dev.komainu.organizer.line.tunnel.TunnelResetReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A client connection of an entry, with its tunnel to the service. Used on its loop. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is reported to the handlers
final class ServiceClientConnection {

    private final Front front;
    private final Channel channel;
    private final ServiceEntry entry;
    private final ServiceCounts counts;
    private final ChannelGroup all;
    private @Nullable LineStream stream;
    private boolean responded;
    private boolean isRefused;

    /**
     * Creates a client connection without a tunnel.
     *
     * @param all the connections that are reset when the entry closes
     */
    ServiceClientConnection(
            Front front,
            Channel channel,
            ServiceEntry entry,
            ServiceCounts counts,
            ChannelGroup all) {
        this.front = front;
        this.channel = channel;
        this.entry = entry;
        this.counts = counts;
        this.all = all;
        all.add(channel);
    }

    /** Adds another connection of the same client. */
    void addConnection(Channel data) {
        all.add(data);
    }

    Front front() {
        return front;
    }

    Channel channel() {
        return channel;
    }

    ServiceEntry entry() {
        return entry;
    }

    ServiceCounts counts() {
        return counts;
    }

    /**
     * Requests a tunnel. After its response the channel's bytes are relayed, behind the handlers
     * that it has now.
     *
     * @param opened called before anything is relayed
     * @param refused called instead of it
     * @param last bytes sent to the client after a refusal
     */
    void open(
            Http2Headers request,
            BiConsumer<Http2Headers, LineStream> opened,
            Runnable refused,
            byte[] last) {
        StreamRelay relay = StreamRelay.asking(channel, response -> {
            LineStream openedStream = stream;
            responded = true;
            if (openedStream != null && response.status().charAt(0) == '2') {
                counts.count(ServiceCounts.Kind.OPENED);
                channel.closeFuture().addListener(done -> counts.count(ServiceCounts.Kind.ENDED));
                opened.accept(response, openedStream);
            } else {
                refused.run();
                refuse(ServiceRefusal.of(response), last);
            }
        });
        LineStream opening =
                front.openTunnel(channel.eventLoop(), request, new ForwardingListener(relay) {
                    @Override
                    public void ended(StreamEnd end) {
                        if (!responded) {
                            responded = true;
                            refused.run();
                            if (end.reason() != StreamEnd.Reason.CANCELLED) {
                                isRefused = true;
                                counts.refused(ServiceRefusal.LINE);
                            }
                        }
                        super.ended(end);
                    }
                });
        stream = opening;
        channel.closeFuture().addListener(done -> {
            if (!responded) {
                opening.reset(Http2Error.CANCEL);
            } else if (!isRefused) {
                countBreak(relay);
            }
        });
        relay.relay(opening);
    }

    /** Counts the break of a closed connection that was opened, if it did not end regularly. */
    void countBreak(StreamRelay relay) {
        TunnelResetReason reason = relay.broken();
        if (reason != null) {
            counts.broken(reason);
        }
    }

    /**
     * Counts a refusal, sends the last bytes and closes the connection. Without last bytes the
     * connection is reset, so that the client does not take the refusal for the service's end.
     */
    void refuse(ServiceRefusal reason, byte[] last) {
        isRefused = true;
        counts.refused(reason);
        if (last.length == 0) {
            abort(channel);
        } else {
            ByteBuf bytes = Unpooled.wrappedBuffer(last);
            channel.writeAndFlush(bytes).addListener(done -> channel.close());
        }
    }

    static void abort(Channel channel) {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }
}
