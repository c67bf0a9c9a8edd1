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
 * An active data connection. The far end listens for the server; when the server has connected,
 * this end connects to the client. Used on its loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the result of a close is not needed
final class FtpActiveConnection extends PendingRelay {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The receiver of the result: one of the two methods is called, once. */
    interface Listener {

        void listening(InetSocketAddress farAddress);

        void failed();
    }

    private final ServiceClientConnection client;
    private final InetSocketAddress to;
    private final InetAddress here;
    private final Listener listener;
    private @Nullable LineStream stream;
    private @Nullable Http2Headers connectedHead;
    private boolean reported;

    /**
     * Creates a connection that is not requested yet.
     *
     * @param to address at which the client listens
     * @param here local address from which the client expects the connection
     */
    FtpActiveConnection(
            ServiceClientConnection client,
            InetSocketAddress to,
            InetAddress here,
            Listener listener) {
        this.client = client;
        this.to = to;
        this.here = here;
        this.listener = listener;
    }

    void request(MemberId member, Http2Headers head) {
        stream = client.front().openTunnelTo(client.channel().eventLoop(), member, head, this);
    }

    /**
     * Cancels the connection: the client needs another one, or none. A connection to which the
     * server has connected continues.
     */
    void cancel() {
        reported = true;
        LineStream opened = stream;
        if (connectedHead == null && opened != null) {
            opened.reset(Http2Error.CANCEL);
        }
    }

    private void report(@Nullable InetSocketAddress farAddress) {
        if (!reported) {
            reported = true;
            if (farAddress == null) {
                listener.failed();
            } else {
                listener.listening(farAddress);
            }
        }
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        LineStream opened = stream;
        CharSequence address = head.get(FtpSessions.LISTENS);
        if (opened == null) {
            return;
        }
        if (address != null) {
            report(FtpAddress.ofEprt(address.toString()));
        } else if (head.status().charAt(0) == '2') {
            connectedHead = head;
            client.counts().count(ServiceCounts.Kind.DATA);
            TunnelAcceptor.dialling(opened.loop(), TIMEOUT)
                    .connect(to, new InetSocketAddress(here, 0))
                    .addListener((ChannelFuture connected) -> connected(opened, connected));
        } else if (head.status().charAt(0) != '1') {
            report(null);
            opened.reset(Http2Error.CANCEL);
        }
    }

    private void connected(LineStream opened, ChannelFuture connected) {
        Channel channel = connected.channel();
        Http2Headers answer = connectedHead;
        if (!connected.isSuccess()) {
            client.counts().refused(ServiceRefusal.NO_DATA);
        }
        if (isOver() || !connected.isSuccess() || answer == null) {
            channel.close();
            opened.reset(Http2Error.CONNECT_ERROR);
            return;
        }
        client.addConnection(channel);
        StreamRelay relay = StreamRelay.asking(channel, head -> {});
        channel.closeFuture().addListener(done -> client.countBreak(relay));
        follow(relay);
        relay.relay(opened);
        relay.head(answer, false);
        handOver();
    }

    @Override
    public void ended(StreamEnd end) {
        super.ended(end);
        report(null);
    }
}
