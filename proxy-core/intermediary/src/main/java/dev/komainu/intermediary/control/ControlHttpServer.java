package dev.komainu.intermediary.control;

import dev.komainu.telemetry.identity.PartIdentity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP/1.1 server of a control endpoint.
 *
 * <p>One event loop of its own, apart from the loops that carry data, reads requests and responds
 * to {@code /health}. Virtual threads run all other pages, a limited number per client address and
 * in all. So {@code /health} is answered whatever the data path, the pages and slow clients do.
 * Each step of a request has a deadline, and when there are too many connections, the one that has
 * waited longest for its client is closed ({@link ControlLimits}).
 */
@SuppressWarnings("FutureReturnValueIgnored") // closes and shutdowns end on their own
public final class ControlHttpServer implements AutoCloseable {

    static final Logger LOG = LoggerFactory.getLogger(ControlHttpServer.class);
    private static final int BACKLOG = 1024;

    private final ControlLimits limits;
    private final ControlPages pages;
    private final ControlSlots slots;
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
            1,
            Thread.ofPlatform().name("komainu-control").daemon().factory(),
            NioIoHandler.newFactory());
    private final ExecutorService handlers = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("komainu-control").factory());
    /** Null: clear text. */
    private final @Nullable ControlTls tls;

    private final Channel listener;
    private final ControlAuthorization authorization;

    // Owned by the event loop.
    private int open;
    /** The connections that wait for their clients, the longest waiting first. */
    private final Set<ControlConnection> waiting = new LinkedHashSet<>();

    /**
     * Opens the listener. It accepts nothing before {@link #start}.
     *
     * @param identity its certificate is shown where TLS is used; absent: this part has none
     * @throws BindException with the setting and the address, when the address is not available
     * @throws IOException when the token file cannot be read or contains an error
     */
    public ControlHttpServer(
            ControlSettings settings, ControlPages pages, @Nullable PartIdentity identity)
            throws IOException {
        this(settings, pages, ControlLimits.DEFAULT, identity);
    }

    ControlHttpServer(
            ControlSettings settings,
            ControlPages pages,
            ControlLimits limits,
            @Nullable PartIdentity identity)
            throws IOException {
        this.limits = limits;
        this.pages = pages;
        this.slots = new ControlSlots(limits);
        try {
            TokenFile tokens = ControlAuthorization.tokens(settings);
            tls = ControlTls.of(settings, identity);
            listener = listen(settings.listen());
            authorization = new ControlAuthorization(address(), tokens, settings.readToken());
        } catch (IOException | RuntimeException e) {
            close(loop, handlers);
            throw e;
        }
    }

    /** Begins to accept connections. */
    public void start() {
        listener.config().setAutoRead(true);
    }

    private Channel listen(InetSocketAddress address) throws IOException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                // Until start(): the pages are complete then.
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accept(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            BindException failure = new BindException("control.listen: " + address.getHostString()
                    + ":" + address.getPort() + " (" + cause.getMessage() + ")");
            failure.initCause(cause);
            throw failure;
        }
        return bound.channel();
    }

    private void accept(SocketChannel channel) {
        open++;
        channel.closeFuture().addListener(closed -> open--);
        if (tls != null) {
            SslHandler encryption = tls.handler(channel.alloc());
            if (encryption == null) {
                channel.close();
                return;
            }
            channel.pipeline().addLast(encryption);
        }
        HttpDecoderConfig config = new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.headBytes())
                .setMaxHeaderSize(limits.headBytes());
        channel.pipeline().addLast(new HttpServerCodec(config), new ControlConnection(this));
        if (open > limits.connections()) {
            Iterator<ControlConnection> all = waiting.iterator();
            if (all.hasNext()) {
                all.next().close();
            } else {
                channel.close();
            }
        }
    }

    /** Reports whether connections use TLS. */
    public boolean isEncrypted() {
        return tls != null;
    }

    /** Returns the listening address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /**
     * Prepares other tokens.
     *
     * @return an action that puts them in force; thread-safe
     * @throws IOException when the token file cannot be read or contains an error; nothing has
     *     changed then
     */
    public Runnable prepare(ControlSettings next) throws IOException {
        return authorization.prepare(next);
    }

    ControlLimits limits() {
        return limits;
    }

    ControlPages pages() {
        return pages;
    }

    ControlSlots slots() {
        return slots;
    }

    /** Returns the authorization of requests. */
    public ControlAuthorization authorization() {
        return authorization;
    }

    void run(Runnable task) {
        execute(handlers, task);
    }

    void onLoop(Runnable task) {
        execute(loop, task);
    }

    private static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("The endpoint was closed during a request", e);
        }
    }

    /** Marks a connection that waits for its client from now on. */
    void waiting(ControlConnection connection) {
        waiting.remove(connection);
        waiting.add(connection);
    }

    /** Marks a connection whose request is being served. */
    void serving(ControlConnection connection) {
        waiting.remove(connection);
    }

    void forget(ControlConnection connection) {
        waiting.remove(connection);
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        close(loop, handlers);
    }

    private static void close(EventLoopGroup loop, ExecutorService handlers) {
        handlers.shutdownNow();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
