package dev.komainu.proxy.tls;

import dev.komainu.intermediary.connection.DeadlineList;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a connection until its TLS handshake is complete: handlers behind do not see the
 * connection before. It is closed when the handshake takes too long, even if bytes arrive. Exactly
 * one of {@link #completed}, {@link #failed} and {@link #timedOut} is called at the end.
 *
 * <p>Behind the handlers of {@link Certificates#begin}, on its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close ends on its own
public abstract class TlsHandshakeHandler extends ChannelInboundHandlerAdapter {

    public static final String HTTP_1 = "http/1.1";
    public static final String HTTP_2 = "h2";

    private final DeadlineList waiting;
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            onTimeout();
        }
    };
    private @Nullable ChannelHandlerContext context;
    private final long startMillis = System.currentTimeMillis();
    private boolean ended;

    /**
     * Creates the handler.
     *
     * @param waiting the list of connections whose handshake is not complete
     */
    protected TlsHandshakeHandler(DeadlineList waiting) {
        this.waiting = waiting;
    }

    /**
     * Adds the handlers for the protocol agreed on at the end of the pipeline; they then receive
     * the channel's activation.
     *
     * @param result the result of the handshake
     */
    protected abstract void completed(ChannelHandlerContext ctx, HandshakeResult result);

    /** Handles a failed handshake; the channel closes. */
    protected abstract void failed(HandshakeFault fault);

    /** Handles a handshake that took too long; the channel closes. */
    protected abstract void timedOut();

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        waiting.append(deadline, System.nanoTime());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            // The rest of the handshake will not arrive.
            end(ctx, HandshakeFault.LEFT);
            return;
        }
        if (!(event instanceof SslHandshakeCompletionEvent done)) {
            return;
        }
        if (!done.isSuccess()) {
            end(ctx, HandshakeFault.of(done.cause()));
        } else if (!ended) {
            ended = true;
            DeadlineList.remove(deadline);
            completed(ctx, HandshakeResult.of(ctx.pipeline().get(SslHandler.class), startMillis));
            ctx.fireChannelActive();
            ctx.pipeline().remove(this);
        }
    }

    private void end(ChannelHandlerContext ctx, HandshakeFault fault) {
        if (!ended) {
            ended = true;
            DeadlineList.remove(deadline);
            failed(fault);
        }
        ctx.close();
    }

    private void onTimeout() {
        ended = true;
        timedOut();
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(ctx, HandshakeFault.LEFT);
    }

    /**
     * Ends the connection after bytes that are not TLS, or broken TLS; the engine has sent its
     * alert.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(ctx, HandshakeFault.of(cause));
    }
}
