package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.StreamRelay;
import dev.komainu.organizer.route.MemberId;
import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A passive data connection: this end listens for the client; when that comes, the far end dials
 * the server. On its loop.
 */
final class FtpPassiveConnection implements DataListener.Told {

    /** Whether this end listens; one of the two, once. */
    interface Told {

        void listens();

        void failed(ServiceRefusal why);
    }

    private final ServiceClientConnection client;
    private final @Nullable MemberId member;
    private final IntFunction<Http2Headers> asks;
    private final boolean extended;
    private final Told told;
    private final DataListener door;
    private @Nullable InetSocketAddress listens;
    private int port;
    private boolean opened;

    /**
     * @param here where to listen
     * @param from who may connect
     * @param asks the head that asks the far end for the server's port
     * @param extended the client said EPSV
     */
    FtpPassiveConnection(
            ServiceClientConnection client,
            InetAddress here,
            InetAddress from,
            @Nullable MemberId member,
            IntFunction<Http2Headers> asks,
            boolean extended,
            Told told) {
        this.client = client;
        this.member = member;
        this.asks = asks;
        this.extended = extended;
        this.told = told;
        this.door = DataListener.open(
                client.channel().eventLoop(), here, client.entry().dataPorts(), from, this);
    }

    /**
     * The server listens at that port of its own. @return what the client is told instead; null:
     * this end does not listen
     */
    @Nullable
    String instead(int of) {
        InetSocketAddress at = listens;
        if (at == null) {
            return null;
        }
        port = of;
        return extended
                ? "229 Entering Extended Passive Mode (|||" + at.getPort() + "|)"
                : "227 Entering Passive Mode (" + FtpAddress.six(at) + ")";
    }

    /** The client wants another one, or none. One that has come goes on. */
    void giveUp() {
        door.close();
    }

    @Override
    public void listens(InetSocketAddress at) {
        listens = at;
        told.listens();
    }

    @Override
    public void came(Channel channel) {
        MemberId at = member;
        if (port == 0 || at == null) {
            client.counts().refused(ServiceRefusal.NO_DATA);
            ServiceClientConnection.breakOff(channel);
            return;
        }
        client.also(channel);
        client.counts().count(ServiceCounts.Kind.DATA);
        StreamRelay relay = StreamRelay.asking(channel, answer -> {
            if (answer.status().charAt(0) != '2') {
                client.counts().refused(ServiceRefusal.of(answer));
            } else {
                opened = true;
            }
        });
        channel.closeFuture().addListener(done -> {
            if (opened) {
                client.countBreak(relay);
            }
        });
        relay.relay(client.front().askOnly(channel.eventLoop(), at, asks.apply(port), relay));
    }

    @Override
    public void stranger() {
        client.counts().refused(ServiceRefusal.FOREIGN_PEER);
    }

    @Override
    public void over(ServiceRefusal why) {
        if (listens == null) {
            told.failed(why);
        } else {
            client.counts().refused(why);
        }
    }
}
