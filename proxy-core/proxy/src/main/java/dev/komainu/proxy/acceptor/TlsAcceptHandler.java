package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.exchange.ClientConnection;
import dev.komainu.proxy.exchange.Http2Negotiation;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.tls.CloseNotifyDelay;
import dev.komainu.proxy.tls.HandshakeFault;
import dev.komainu.proxy.tls.HandshakeResult;
import dev.komainu.proxy.tls.TlsHandshakeHandler;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;

/** Lets a client in when its TLS handshake is through. */
final class TlsAcceptHandler extends TlsHandshakeHandler {

    private final LoopContext worker;
    private final InetSocketAddress peer;

    /** @param peer counted as a connection already */
    TlsAcceptHandler(LoopContext worker, InetSocketAddress peer) {
        super(worker.handshakes());
        this.worker = worker;
        this.peer = peer;
    }

    @Override
    protected void through(ChannelHandlerContext ctx, HandshakeResult agreed) {
        LoopTally tally = worker.tally();
        tally.handshakes++;
        if (agreed.isTls13()) {
            tally.handshakes13++;
            tally.resumed13 += agreed.resumed() ? 1 : 0;
        } else {
            tally.resumed12 += agreed.resumed() ? 1 : 0;
        }
        if (agreed.protocol().equals(HTTP_2)) {
            Http2Negotiation.open(worker, ctx.channel(), peer);
            return;
        }
        ClientConnection connection = new ClientConnection(worker, ctx.channel(), peer, true);
        CloseNotifyDelay hold = ctx.pipeline().get(CloseNotifyDelay.class);
        if (hold != null) {
            hold.watch(connection::owesResponse);
        }
        ctx.pipeline().addLast(connection);
    }

    @Override
    protected void failed(HandshakeFault why) {
        LoopTally tally = worker.tally();
        tally.handshakeFailures++;
        switch (why) {
            case NOT_TLS -> tally.handshakesNotTls++;
            case LEFT -> tally.handshakesLeft++;
            case VERSION -> tally.handshakesVersion++;
            case SUITE -> tally.handshakesSuite++;
            case ALERT -> tally.handshakesAlert++;
            case OTHER -> {
                // the rest of the failures
            }
        }
        worker.left(peer.getAddress());
    }

    @Override
    protected void late() {
        worker.tally().handshakeTimeouts++;
        worker.left(peer.getAddress());
    }
}
