package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.exchange.ClientConnection;
import dev.komainu.proxy.exchange.Http2Door;
import dev.komainu.proxy.exchange.Worker;
import dev.komainu.proxy.tls.Handshake;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;

/** Lets a client in when its TLS handshake is through. */
final class SecureEntrance extends Handshake {

    private final Worker worker;
    private final InetSocketAddress peer;

    /** @param peer counted as a connection already */
    SecureEntrance(Worker worker, InetSocketAddress peer) {
        super(worker.handshakes());
        this.worker = worker;
        this.peer = peer;
    }

    @Override
    protected void through(ChannelHandlerContext ctx, String protocol) {
        worker.tally().handshakes++;
        if (protocol.equals(HTTP_2)) {
            Http2Door.open(worker, ctx.channel(), peer);
        } else {
            ctx.pipeline().addLast(new ClientConnection(worker, ctx.channel(), peer, true));
        }
    }

    @Override
    protected void failed() {
        worker.tally().handshakeFailures++;
        worker.left(peer.getAddress());
    }

    @Override
    protected void late() {
        worker.tally().handshakeTimeouts++;
        worker.left(peer.getAddress());
    }
}
