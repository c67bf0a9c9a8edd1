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

/** The handler that admits a client when its TLS handshake is complete. */
final class TlsAcceptHandler extends TlsHandshakeHandler {

    private final LoopContext context;
    private final InetSocketAddress peer;

    /**
     * Creates the handler.
     *
     * @param peer the client, counted as a connection already
     */
    TlsAcceptHandler(LoopContext context, InetSocketAddress peer) {
        super(context.handshakes());
        this.context = context;
        this.peer = peer;
    }

    @Override
    protected void completed(ChannelHandlerContext ctx, HandshakeResult result) {
        LoopTally tally = context.tally();
        tally.handshakes++;
        if (result.isTls13()) {
            tally.handshakes13++;
            tally.resumed13 += result.resumed() ? 1 : 0;
        } else {
            tally.resumed12 += result.resumed() ? 1 : 0;
        }
        if (result.protocol().equals(HTTP_2)) {
            Http2Negotiation.open(context, ctx.channel(), peer);
            return;
        }
        ClientConnection connection =
                new ClientConnection(context, ctx.channel(), peer, true, false);
        CloseNotifyDelay delay = ctx.pipeline().get(CloseNotifyDelay.class);
        if (delay != null) {
            delay.delayWhile(connection::owesResponse);
        }
        ctx.pipeline().addLast(connection);
    }

    @Override
    protected void failed(HandshakeFault fault) {
        LoopTally tally = context.tally();
        tally.handshakeFailures++;
        switch (fault) {
            case NOT_TLS -> tally.handshakesNotTls++;
            case LEFT -> tally.handshakesLeft++;
            case VERSION -> tally.handshakesVersion++;
            case SUITE -> tally.handshakesSuite++;
            case ALERT -> tally.handshakesAlert++;
            case OTHER -> {
                // the rest of the failures
            }
        }
        context.left(peer.getAddress());
    }

    @Override
    protected void timedOut() {
        context.tally().handshakeTimeouts++;
        context.left(peer.getAddress());
    }
}
