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

/** A client of an entry, and its way to the service. On its loop. */
final class ServiceClientConnection {

    private final Front front;
    private final Channel channel;
    private final ServiceEntry entry;
    private final ServiceCounts counts;
    private final ChannelGroup all;
    private @Nullable LineStream stream;
    private boolean answered;
    private boolean isRefused;

    /** @param all what is reset when the entry closes */
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

    /** Another connection of the same client. */
    void also(Channel data) {
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
     * Asks for a tunnel; from its answer on the channel's bytes are relayed, behind the handlers it
     * has now.
     *
     * @param opened told before anything is relayed
     * @param refused told instead of it
     * @param last what the client is told when it is refused
     */
    void open(
            Http2Headers asked,
            BiConsumer<Http2Headers, LineStream> opened,
            Runnable refused,
            byte[] last) {
        StreamRelay relay = StreamRelay.asking(channel, answer -> {
            LineStream on = stream;
            answered = true;
            if (on != null && answer.status().charAt(0) == '2') {
                counts.count(ServiceCounts.Kind.OPENED);
                channel.closeFuture().addListener(done -> counts.count(ServiceCounts.Kind.ENDED));
                opened.accept(answer, on);
            } else {
                refused.run();
                refuse(ServiceRefusal.of(answer), last);
            }
        });
        LineStream made = front.ask(channel.eventLoop(), asked, new ForwardingListener(relay) {
            @Override
            public void ended(StreamEnd how) {
                if (!answered) {
                    answered = true;
                    refused.run();
                    if (how.reason() != StreamEnd.Reason.CANCELLED) {
                        isRefused = true;
                        counts.refused(ServiceRefusal.LINE);
                    }
                }
                super.ended(how);
            }
        });
        stream = made;
        channel.closeFuture().addListener(done -> {
            if (!answered) {
                made.reset(Http2Error.CANCEL);
            } else if (!isRefused) {
                countBreak(relay);
            }
        });
        relay.relay(made);
    }

    /** Of a connection that is closed, and was opened: whether it ended as it should. */
    void countBreak(StreamRelay relay) {
        TunnelResetReason why = relay.broken();
        if (why != null) {
            counts.broken(why);
        }
    }

    /**
     * Counts, says what there is to say, and ends; with nothing to say by a reset: nobody must take
     * it for the service's end.
     */
    void refuse(ServiceRefusal why, byte[] last) {
        isRefused = true;
        counts.refused(why);
        if (last.length == 0) {
            breakOff(channel);
        } else {
            ByteBuf bytes = Unpooled.wrappedBuffer(last);
            channel.writeAndFlush(bytes).addListener(done -> channel.close());
        }
    }

    static void breakOff(Channel channel) {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }
}
