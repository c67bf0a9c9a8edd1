package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.exchange.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that arrived at the limit {@code connections.max}. It waits, unread, until a loop has
 * closed an idle connection for it, or no loop has one. This takes at most one turn of each loop.
 * When there is none, it waits for the next free connection for the time {@code connections.wait},
 * behind clients that came before it.
 */
final class WaitingClient extends ChannelInboundHandlerAdapter {

    private final ListenAddress address;
    private final LoopContext context;
    private final InetSocketAddress peer;
    private final ClientCounts clients;
    private final Reclamation reclamation;
    private @Nullable Runnable admission;
    private @Nullable Future<?> timeout;
    private boolean isActive;
    private boolean isDecided;
    private boolean hasWaited;
    /** The bytes behind a PROXY protocol header; they were read with it. */
    private @Nullable ByteBuf early;

    WaitingClient(
            ListenAddress address,
            LoopContext context,
            InetSocketAddress peer,
            ClientCounts clients,
            Reclamation reclamation) {
        this.address = address;
        this.context = context;
        this.peer = peer;
        this.clients = clients;
        this.reclamation = reclamation;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
        reclamation.makeRoom(context, closed -> {
            if (closed || !ctx.channel().isOpen() || !joinQueue(ctx)) {
                decide(ctx, closed);
            }
        });
    }

    private boolean joinQueue(ChannelHandlerContext ctx) {
        Runnable offered = () -> {
            try {
                context.loop().execute(() -> offered(ctx));
            } catch (RejectedExecutionException ending) {
                // Its loop has ended, and the client with it; the other loops end soon.
                reclamation.placeIsFree();
            }
        };
        if (!reclamation.joinQueue(offered)) {
            return false;
        }
        admission = offered;
        hasWaited = true;
        timeout = context.loop()
                .schedule(
                        () -> {
                            if (reclamation.leaveQueue(offered)) {
                                decide(ctx, false);
                            }
                        },
                        reclamation.settings().patience().toNanos(),
                        TimeUnit.NANOSECONDS);
        // A client may have left, or become idle, between the check and the queue.
        if (clients.hasRoom()) {
            reclamation.placeIsFree();
        } else {
            reclamation.giveWay();
        }
        return true;
    }

    /** Ends the wait and cancels its timer. */
    private void endWait() {
        admission = null;
        Future<?> timer = timeout;
        if (timer != null) {
            timeout = null;
            timer.cancel(false);
        }
    }

    private void offered(ChannelHandlerContext ctx) {
        if (!ctx.channel().isOpen()) {
            reclamation.placeIsFree();
        }
        decide(ctx, true);
    }

    private void decide(ChannelHandlerContext ctx, boolean hasPlace) {
        isDecided = true;
        endWait();
        if (!ctx.channel().isOpen()) {
            return;
        }
        ClientCounts.Entry entry =
                hasPlace ? clients.enterInPlace(peer.getAddress()) : ClientCounts.Entry.FULL;
        if (entry == ClientCounts.Entry.ENTERED) {
            Acceptor.admit(address, ctx.channel(), context, peer, hasWaited);
            if (isActive) {
                resume(ctx);
            }
        } else {
            Acceptor.reject(address, ctx.channel(), clients, entry);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        isActive = true;
        if (isDecided) {
            resume(ctx);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (early != null) {
            // Reading has stopped, so there is no second buffer.
            early.release();
        }
        early = (ByteBuf) message;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        ByteBuf unread = early;
        if (unread != null) {
            early = null;
            unread.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        Runnable queued = admission;
        if (queued != null) {
            endWait();
            reclamation.leaveQueue(queued);
        }
        ctx.fireChannelInactive();
    }

    /** Activates the channel for the handlers behind, which have not been notified before. */
    private void resume(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        ByteBuf first = early;
        if (first != null) {
            early = null;
            ctx.fireChannelRead(first);
            ctx.fireChannelReadComplete();
        }
        ctx.pipeline().remove(this);
        ctx.channel().config().setAutoRead(true);
    }
}
