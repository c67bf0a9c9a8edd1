package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.exchange.LoopContext;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that came when {@code connections.max} was reached: it waits, unheard, until a loop has
 * closed an idle connection for it, or none has one. That takes a turn of each loop at most. When
 * none has, it waits for the next place as long as {@code connections.wait} says, behind who came
 * before it.
 */
final class WaitingClient extends ChannelInboundHandlerAdapter {

    private final ListenAddress door;
    private final LoopContext worker;
    private final InetSocketAddress peer;
    private final ClientCounts clients;
    private final Reclamation reclamation;
    private @Nullable Runnable waits;
    private @Nullable Future<?> patience;
    private boolean isActiveTold;
    private boolean isThrough;
    private boolean hasWaited;

    WaitingClient(
            ListenAddress door,
            LoopContext worker,
            InetSocketAddress peer,
            ClientCounts clients,
            Reclamation reclamation) {
        this.door = door;
        this.worker = worker;
        this.peer = peer;
        this.clients = clients;
        this.reclamation = reclamation;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
        reclamation.makeRoom(worker, closed -> {
            if (closed || !ctx.channel().isOpen() || !joins(ctx)) {
                decide(ctx, closed);
            }
        });
    }

    private boolean joins(ChannelHandlerContext ctx) {
        Runnable offered = () -> {
            try {
                worker.loop().execute(() -> offered(ctx));
            } catch (RejectedExecutionException ending) {
                // Its loop is gone, and it with it; so are the others soon.
                reclamation.placeIsFree();
            }
        };
        if (!reclamation.joinQueue(offered)) {
            return false;
        }
        waits = offered;
        hasWaited = true;
        patience = worker.loop()
                .schedule(
                        () -> {
                            if (reclamation.leaveQueue(offered)) {
                                decide(ctx, false);
                            }
                        },
                        reclamation.settings().patience().toNanos(),
                        TimeUnit.NANOSECONDS);
        // Somebody may have left, or become idle, between the question and the queue.
        if (clients.hasRoom()) {
            reclamation.placeIsFree();
        } else {
            reclamation.giveWay();
        }
        return true;
    }

    /** Nor does the clock keep what is over. */
    private void waitNoMore() {
        waits = null;
        Future<?> until = patience;
        if (until != null) {
            patience = null;
            until.cancel(false);
        }
    }

    private void offered(ChannelHandlerContext ctx) {
        if (!ctx.channel().isOpen()) {
            reclamation.placeIsFree();
        }
        decide(ctx, true);
    }

    private void decide(ChannelHandlerContext ctx, boolean hasPlace) {
        isThrough = true;
        waitNoMore();
        if (!ctx.channel().isOpen()) {
            return;
        }
        ClientCounts.Entry entry =
                hasPlace ? clients.enterInPlace(peer.getAddress()) : ClientCounts.Entry.FULL;
        if (entry == ClientCounts.Entry.ENTERED) {
            Acceptor.letIn(door, ctx.channel(), worker, peer, hasWaited);
            if (isActiveTold) {
                goOn(ctx);
            }
        } else {
            Acceptor.turnAway(door, ctx.channel(), clients, entry);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        isActiveTold = true;
        if (isThrough) {
            goOn(ctx);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Runnable queued = waits;
        if (queued != null) {
            waitNoMore();
            reclamation.leaveQueue(queued);
        }
        ctx.fireChannelInactive();
    }

    /** Who follows in the pipeline hears that the channel is active only now. */
    private void goOn(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
        ctx.channel().config().setAutoRead(true);
    }
}
