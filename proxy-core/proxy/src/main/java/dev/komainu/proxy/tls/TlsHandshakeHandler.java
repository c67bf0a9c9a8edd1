package dev.komainu.proxy.tls;

import dev.komainu.intermediary.connection.DeadlineList;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * A connection until its TLS handshake is through: nobody behind sees it before. It is closed when
 * that takes too long, however busily its bytes drip. Ends by exactly one of {@link #through},
 * {@link #failed}, {@link #late}.
 *
 * <p>Behind {@link Certificates#handler}, on its event loop.
 */
public abstract class TlsHandshakeHandler extends ChannelInboundHandlerAdapter {

    public static final String HTTP_1 = "http/1.1";
    public static final String HTTP_2 = "h2";

    private final DeadlineList waiting;
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private @Nullable ChannelHandlerContext context;
    private final long begunMillis = System.currentTimeMillis();
    private boolean over;

    /** @param waiting where connections wait whose handshake is not through */
    protected TlsHandshakeHandler(DeadlineList waiting) {
        this.waiting = waiting;
    }

    /**
     * Adds the handlers for what was agreed on, as the last of the pipeline; they are told that the
     * channel is active.
     *
     * @param agreed what it came to
     */
    protected abstract void through(ChannelHandlerContext ctx, HandshakeResult agreed);

    /** No handshake came about; the channel closes. */
    protected abstract void failed(HandshakeFault why);

    /** It took too long; the channel closes. */
    protected abstract void late();

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        waiting.append(deadline, System.nanoTime());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            // Nothing more of the handshake will come.
            end(ctx, HandshakeFault.LEFT);
            return;
        }
        if (!(event instanceof SslHandshakeCompletionEvent done)) {
            return;
        }
        if (!done.isSuccess()) {
            end(ctx, HandshakeFault.of(done.cause()));
        } else if (!over) {
            over = true;
            DeadlineList.remove(deadline);
            through(ctx, HandshakeResult.of(ctx.pipeline().get(SslHandler.class), begunMillis));
            ctx.fireChannelActive();
            ctx.pipeline().remove(this);
        }
    }

    private void end(ChannelHandlerContext ctx, HandshakeFault why) {
        if (!over) {
            over = true;
            DeadlineList.remove(deadline);
            failed(why);
        }
        ctx.close();
    }

    private void timeUp() {
        over = true;
        late();
        if (context != null) {
            context.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(ctx, HandshakeFault.LEFT);
    }

    /** What is no TLS, or broken TLS; the engine has sent its alert. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end(ctx, HandshakeFault.of(cause));
    }
}
