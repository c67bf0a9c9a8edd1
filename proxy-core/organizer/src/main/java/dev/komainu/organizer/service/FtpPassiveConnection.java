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
 * A passive data connection. This end listens for the client; when the client has connected, the
 * far end connects to the server. Used on its loop.
 */
final class FtpPassiveConnection implements DataListener.Listener {

    /** The receiver of the result of the listener: one of the two methods is called, once. */
    interface Listener {

        void listening();

        void failed(ServiceRefusal reason);
    }

    private final ServiceClientConnection client;
    private final @Nullable MemberId member;
    private final IntFunction<Http2Headers> request;
    private final boolean extended;
    private final Listener listener;
    private final DataListener dataListener;
    private @Nullable InetSocketAddress address;
    private int port;
    private boolean isOpen;

    /**
     * Starts to listen for the client.
     *
     * @param here address to listen at
     * @param from address of the expected peer
     * @param request returns the head that requests the far end's connection to a port of the
     *     server
     * @param extended whether the client sent EPSV
     */
    FtpPassiveConnection(
            ServiceClientConnection client,
            InetAddress here,
            InetAddress from,
            @Nullable MemberId member,
            IntFunction<Http2Headers> request,
            boolean extended,
            Listener listener) {
        this.client = client;
        this.member = member;
        this.request = request;
        this.extended = extended;
        this.listener = listener;
        this.dataListener = DataListener.open(
                client.channel().eventLoop(), here, client.entry().dataPorts(), from, this);
    }

    /**
     * Sets the server's port and returns the reply for the client; null: this end does not listen.
     */
    @Nullable
    String rewrite(int serverPort) {
        InetSocketAddress local = address;
        if (local == null) {
            return null;
        }
        port = serverPort;
        return extended
                ? "229 Entering Extended Passive Mode (|||" + local.getPort() + "|)"
                : "227 Entering Passive Mode (" + FtpAddress.six(local) + ")";
    }

    /**
     * Cancels the connection: the client needs another one, or none. An established connection
     * continues.
     */
    void cancel() {
        dataListener.close();
    }

    @Override
    public void listening(InetSocketAddress local) {
        address = local;
        listener.listening();
    }

    @Override
    public void connected(Channel channel) {
        MemberId local = member;
        if (port == 0 || local == null) {
            client.counts().refused(ServiceRefusal.NO_DATA);
            ServiceClientConnection.abort(channel);
            return;
        }
        client.addConnection(channel);
        client.counts().count(ServiceCounts.Kind.DATA);
        StreamRelay relay = StreamRelay.asking(channel, answer -> {
            if (answer.status().charAt(0) != '2') {
                client.counts().refused(ServiceRefusal.of(answer));
            } else {
                isOpen = true;
            }
        });
        channel.closeFuture().addListener(done -> {
            if (isOpen) {
                client.countBreak(relay);
            }
        });
        relay.relay(client.front()
                .openTunnelTo(channel.eventLoop(), local, request.apply(port), relay));
    }

    @Override
    public void foreignConnection() {
        client.counts().refused(ServiceRefusal.FOREIGN_PEER);
    }

    @Override
    public void failed(ServiceRefusal reason) {
        if (address == null) {
            listener.failed(reason);
        } else {
            client.counts().refused(reason);
        }
    }
}
