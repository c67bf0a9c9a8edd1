package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.exchange.Shared;
import dev.komainu.proxy.exchange.Worker;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;

/**
 * A client that came when {@code connections.max} was reached: it waits, unheard, until a loop has closed an idle connection
 * for it, or none has one. That takes a turn of each loop at most.
 */
final class Newcomer extends ChannelInboundHandlerAdapter {

    private final Door door;
    private final Worker worker;
    private final InetSocketAddress peer;
    private final Shared shared;
    private boolean isActiveTold;
    private boolean isThrough;

    Newcomer(Door door, Worker worker, InetSocketAddress peer, Shared shared) {
        this.door = door;
        this.worker = worker;
        this.peer = peer;
        this.shared = shared;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
        shared.reclamation().makeRoom(worker, closed -> told(ctx, closed));
    }

    private void told(ChannelHandlerContext ctx, boolean closed) {
        isThrough = true;
        if (!ctx.channel().isOpen()) {
            return;
        }
        ClientCounts.Entry entry =
                closed ? shared.clientCounts().enterInPlace(peer.getAddress()) : ClientCounts.Entry.FULL;
        if (entry == ClientCounts.Entry.ENTERED) {
            Acceptor.letIn(door, ctx.channel(), worker, peer);
            if (isActiveTold) {
                goOn(ctx);
            }
        } else {
            Acceptor.turnAway(door, ctx.channel(), shared, entry);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        isActiveTold = true;
        if (isThrough) {
            goOn(ctx);
        }
    }

    /** Who follows in the pipeline hears that the channel is active only now. */
    private void goOn(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
        ctx.channel().config().setAutoRead(true);
    }
}
