package dev.komainu.intermediary.proxyprotocol;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.AddressFamily;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a trusted proxy until its PROXY protocol header is complete: a line of at most
 * 108 bytes (version 1), or 536 bytes with all extensions (version 2). A connection with another
 * beginning, or with an incomplete header after {@value #SECONDS} seconds, is closed and counted.
 *
 * <p>The handlers of the client's protocol are added when the header is complete. They see the
 * channel become active then, and the bytes behind the header.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close is reported to the handlers
public final class ProxyProtocolHandler extends SimpleChannelInboundHandler<HAProxyMessage> {

    private static final int SECONDS = 5;
    /** With these extensions a header of version 2 has 536 bytes: 16, addresses of 216, and 304. */
    private static final int EXTENSION_BYTES = 304;

    private final InetSocketAddress proxy;
    private final Consumer<InetSocketAddress> admission;
    private final Runnable refusal;
    private @Nullable Future<?> deadline;
    private boolean isDone;

    private ProxyProtocolHandler(
            InetSocketAddress proxy, Consumer<InetSocketAddress> admission, Runnable refusal) {
        this.proxy = proxy;
        this.admission = admission;
        this.refusal = refusal;
    }

    /**
     * Expects a header.
     *
     * @param proxy the address of the connection
     * @param admission adds the handlers of the client's protocol; receives the client's address,
     *     the proxy's own when the header has none (health checks of the proxy)
     * @param refusal counts a connection without a valid header
     */
    public static void expect(
            Channel channel,
            InetSocketAddress proxy,
            Consumer<InetSocketAddress> admission,
            Runnable refusal) {
        channel.pipeline()
                .addLast(
                        new HAProxyMessageDecoder(EXTENSION_BYTES, true),
                        new ProxyProtocolHandler(proxy, admission, refusal));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        deadline = ctx.executor().schedule(() -> refuse(ctx), SECONDS, TimeUnit.SECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HAProxyMessage header) {
        if (isDone) {
            return;
        }
        InetSocketAddress client;
        try {
            client = client(header);
        } catch (IllegalArgumentException e) {
            refuse(ctx);
            return;
        }
        finish();
        admission.accept(client);
        ctx.fireChannelActive();
        // The decoder then sends the rest of its bytes to the next handler.
        ctx.pipeline().remove(this);
    }

    private InetSocketAddress client(HAProxyMessage header) {
        AddressFamily family = header.proxiedProtocol().addressFamily();
        boolean hasAddress = header.command() == HAProxyCommand.PROXY
                && (family == AddressFamily.AF_IPv4 || family == AddressFamily.AF_IPv6);
        return hasAddress
                ? new InetSocketAddress(
                        InetAddress.ofLiteral(header.sourceAddress()), header.sourcePort())
                : proxy;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            refuse(ctx);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        finish();
    }

    private void refuse(ChannelHandlerContext ctx) {
        if (!isDone) {
            finish();
            refusal.run();
            ctx.close();
        }
    }

    private void finish() {
        isDone = true;
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}
