package dev.komainu.organizer.service;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.tunnel.PendingRelay;
import dev.komainu.organizer.line.tunnel.StreamRelay;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.route.MemberId;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An active data connection: the far end listens for the server; when that has come, this end dials
 * the client. On its loop.
 */
final class FtpActiveConnection extends PendingRelay {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Whether the far end listens; one of the two, once. */
    interface Told {

        void listens(InetSocketAddress far);

        void failed();
    }

    private final ServiceClientConnection client;
    private final InetSocketAddress to;
    private final InetAddress here;
    private final Told told;
    private @Nullable LineStream stream;
    private @Nullable Http2Headers came;
    private boolean settled;

    /** @param to where the client listens @param here from which address it expects somebody */
    FtpActiveConnection(
            ServiceClientConnection client, InetSocketAddress to, InetAddress here, Told told) {
        this.client = client;
        this.to = to;
        this.here = here;
        this.told = told;
    }

    void ask(MemberId member, Http2Headers head) {
        stream = client.front().askOnly(client.channel().eventLoop(), member, head, this);
    }

    /** The client wants another one, or none. One that the server came to goes on. */
    void giveUp() {
        settled = true;
        LineStream on = stream;
        if (came == null && on != null) {
            on.reset(Http2Error.CANCEL);
        }
    }

    private void settle(@Nullable InetSocketAddress far) {
        if (!settled) {
            settled = true;
            if (far == null) {
                told.failed();
            } else {
                told.listens(far);
            }
        }
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        LineStream on = stream;
        CharSequence listens = head.get(FtpSessions.LISTENS);
        if (on == null) {
            return;
        }
        if (listens != null) {
            settle(FtpAddress.ofEprt(listens.toString()));
        } else if (head.status().charAt(0) == '2') {
            came = head;
            client.counts().count(ServiceCounts.Kind.DATA);
            TunnelAcceptor.dialling(on.loop(), TIMEOUT)
                    .connect(to, new InetSocketAddress(here, 0))
                    .addListener((ChannelFuture dialled) -> dialled(on, dialled));
        } else if (head.status().charAt(0) != '1') {
            settle(null);
            on.reset(Http2Error.CANCEL);
        }
    }

    private void dialled(LineStream on, ChannelFuture dialled) {
        Channel channel = dialled.channel();
        Http2Headers answer = came;
        if (!dialled.isSuccess()) {
            client.counts().refused(ServiceRefusal.NO_DATA);
        }
        if (isOver() || !dialled.isSuccess() || answer == null) {
            channel.close();
            on.reset(Http2Error.CONNECT_ERROR);
            return;
        }
        client.also(channel);
        StreamRelay made = StreamRelay.asking(channel, head -> {});
        channel.closeFuture().addListener(done -> client.countBreak(made));
        follow(made);
        made.relay(on);
        made.head(answer, false);
        handOver();
    }

    @Override
    public void ended(StreamEnd how) {
        super.ended(how);
        settle(null);
    }
}
