package dev.komainu.proxy.acceptor;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.proxyprotocol.ProxyProtocolHandler;
import dev.komainu.intermediary.transport.Transport;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.exchange.ClientConnection;
import dev.komainu.proxy.exchange.LoopContext;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** The listening sockets, one per event loop and address, and the event loops. */
@SuppressWarnings("FutureReturnValueIgnored") // closes and shutdowns end on their own
public final class Acceptor implements AutoCloseable {

    private static final int BACKLOG = 4096;
    private static final WriteBufferWaterMark WATERMARKS =
            new WriteBufferWaterMark(32 * 1024, 64 * 1024);
    /** Without a name of its own, Netty generates one from a hash code of the class. */
    private static final String CLIENT = "client";

    private final Transport transport;
    private final EventLoopGroup group;
    private final List<LoopContext> contexts = new ArrayList<>();
    private final List<Channel> listeners = new ArrayList<>();

    private final int addressCount;
    private final PooledByteBufAllocator allocator;
    private final AccessList trustedProxies;

    private Acceptor(
            Transport transport,
            EventLoopGroup group,
            PooledByteBufAllocator allocator,
            AccessList trustedProxies,
            int addressCount) {
        this.trustedProxies = trustedProxies;
        this.allocator = allocator;
        this.addressCount = addressCount;
        this.transport = transport;
        this.group = group;
    }

    /**
     * Opens the listening sockets.
     *
     * @param addresses at least one
     * @param trustedProxies the addresses whose connections begin with a PROXY protocol header
     * @param contexts called once for each event loop
     * @throws BindException when an address is not available
     */
    public static Acceptor open(
            List<ListenAddress> addresses,
            int loopCount,
            Transport transport,
            AccessList trustedProxies,
            ConnectionLimits limits,
            WorkerFactory contexts)
            throws BindException {
        for (ListenAddress listenAddress : addresses) {
            probe(listenAddress);
        }
        EventLoopGroup group = transport.loops(loopCount);
        // Two arenas are enough for this number of loops; small chunks keep an idle proxy small.
        PooledByteBufAllocator allocator =
                new PooledByteBufAllocator(true, 0, loopCount, 8192, 6, 64, 32, true);
        Acceptor acceptor =
                new Acceptor(transport, group, allocator, trustedProxies, addresses.size());
        InetSocketAddress[] bound =
                addresses.stream().map(ListenAddress::address).toArray(InetSocketAddress[]::new);
        for (EventExecutor executor : group) {
            EventLoop loop = (EventLoop) executor;
            LoopContext context = contexts.create(loop, transport.client(), allocator);
            acceptor.contexts.add(context);
            limits.reclamation().join(context);
            limits.buffers().join(context.buffers());
            if (transport.sharesPorts() || acceptor.listeners.isEmpty()) {
                for (int i = 0; i < bound.length; i++) {
                    bound[i] = acceptor.listen(
                            addresses.get(i), bound[i], loop, context, allocator, limits);
                }
            }
        }
        return acceptor;
    }

    /**
     * Checks that an address is free. Sockets that share a port do not detect another program's
     * socket; a plain one does.
     */
    private static void probe(ListenAddress listenAddress) throws BindException {
        InetSocketAddress address = listenAddress.address();
        try (ServerSocket plain = new ServerSocket()) {
            plain.setReuseAddress(true);
            plain.bind(address);
        } catch (IOException e) {
            throw new BindException(listenAddress.name() + ": " + address.getHostString() + ":"
                    + address.getPort() + " (" + e.getMessage() + ")");
        }
    }

    private InetSocketAddress listen(
            ListenAddress listenAddress,
            InetSocketAddress address,
            EventLoop loop,
            LoopContext context,
            PooledByteBufAllocator allocator,
            ConnectionLimits limits)
            throws BindException {
        // Java's selector cannot share a port: its one listener spreads connections over all loops.
        boolean shares = transport.sharesPorts();
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop, shares ? loop : group)
                .channelFactory(transport.listener(address))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel listener) {
                        listener.pipeline().addLast(new OutOfDescriptors(context));
                        if (shares) {
                            listener.pipeline()
                                    .addLast(new AcceptedConnections(
                                            accepted -> configure(accepted, allocator),
                                            accepted -> begin(
                                                    listenAddress, accepted, context, limits)));
                        }
                    }
                })
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        configure(accepted, allocator);
                        begin(listenAddress, accepted, contextOf(accepted), limits);
                    }
                });
        var bind = bootstrap.bind(address).awaitUninterruptibly();
        if (!bind.isSuccess()) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new BindException(listenAddress.name() + ": " + address.getHostString() + ":"
                    + address.getPort() + " ("
                    + (bind.cause() == null ? "cancelled" : bind.cause().getMessage()) + ")");
        }
        listeners.add(bind.channel());
        return (InetSocketAddress) bind.channel().localAddress();
    }

    private static void configure(Channel accepted, PooledByteBufAllocator allocator) {
        ChannelConfig options = accepted.config();
        options.setAllocator(allocator);
        options.setWriteBufferWaterMark(WATERMARKS);
        options.setOption(ChannelOption.TCP_NODELAY, true);
        options.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    private LoopContext contextOf(Channel channel) {
        return contexts.stream()
                .filter(w -> w.loop() == channel.eventLoop())
                .findFirst()
                .orElseThrow();
    }

    private void begin(
            ListenAddress listenAddress,
            Channel channel,
            LoopContext context,
            ConnectionLimits limits) {
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        InetAddress address = peer == null ? null : peer.getAddress();
        if (peer == null || address == null) {
            channel.close();
        } else if (trustedProxies.permits(address)) {
            ProxyProtocolHandler.expect(
                    channel,
                    peer,
                    client -> accept(listenAddress, channel, context, client, limits),
                    () -> refusedBeginning(context));
        } else {
            accept(listenAddress, channel, context, peer, limits);
        }
    }

    /** Counts a connection of a trusted proxy without a valid header. */
    private static void refusedBeginning(LoopContext context) {
        context.tally().malformed++;
        context.tally().errors++;
    }

    private static void accept(
            ListenAddress listenAddress,
            Channel channel,
            LoopContext context,
            InetSocketAddress peer,
            ConnectionLimits limits) {
        switch (limits.clients().enter(peer.getAddress())) {
            case ENTERED -> admit(listenAddress, channel, context, peer, false);
            case CLIENT_FULL ->
                reject(listenAddress, channel, limits.clients(), ClientCounts.Entry.CLIENT_FULL);
            case FULL ->
                channel.pipeline()
                        .addLast(new WaitingClient(
                                listenAddress,
                                context,
                                peer,
                                limits.clients(),
                                limits.reclamation()));
        }
    }

    /**
     * Adds the handlers of a client that is counted.
     *
     * @param hasWaited whether it waited for admission, so that it could have sent bytes (unless it
     *     uses TLS)
     */
    static void admit(
            ListenAddress listenAddress,
            Channel channel,
            LoopContext context,
            InetSocketAddress peer,
            boolean hasWaited) {
        if (listenAddress.certificates() == null) {
            channel.pipeline()
                    .addLast(
                            CLIENT, new ClientConnection(context, channel, peer, false, hasWaited));
        } else {
            listenAddress.certificates().begin(channel.pipeline(), channel.alloc());
            channel.pipeline().addLast(new TlsAcceptHandler(context, peer));
        }
    }

    /**
     * Closes a client that is refused, after a short 503 (RFC 9110 section 15.6.4) where the client
     * can read one before it sends bytes.
     */
    static void reject(
            ListenAddress listenAddress,
            Channel channel,
            ClientCounts clients,
            ClientCounts.Entry entry) {
        clients.refuse(entry);
        if (listenAddress.certificates() != null) {
            // A refusal is not worth a handshake.
            channel.close();
            return;
        }
        String message = "503 Service Unavailable\n"
                + (entry == ClientCounts.Entry.FULL
                        ? "This proxy has reached its limit of connections (connections.max).\n"
                        : "This client has reached its limit of connections (connections.max-per-client).\n");
        channel.writeAndFlush(Unpooled.copiedBuffer(
                        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
                                + "Retry-After: 1\r\nConnection: close\r\nContent-Length: "
                                + message.length()
                                + "\r\n\r\n" + message,
                        StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Returns the address of a listening socket; the assigned port when port 0 was requested.
     *
     * @param index the index in the list of listen addresses
     */
    public InetSocketAddress address(int index) {
        return (InetSocketAddress) listeners.get(index).localAddress();
    }

    /** Returns all addresses of listening sockets, one per listen address. */
    public List<InetSocketAddress> addresses() {
        return IntStream.range(0, addressCount).mapToObj(this::address).toList();
    }

    /**
     * Returns the direct memory in connections' buffers, in bytes: that of live buffers to clients,
     * and all memory of Netty's own allocator, which allocates the buffers to origins. Any thread.
     */
    public long bufferBytes() {
        long towardsOrigins =
                ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider done
                        ? done.metric().usedDirectMemory()
                        : 0;
        return allocator.pinnedDirectMemory() + towardsOrigins;
    }

    /** Returns the event loops. */
    public EventLoopGroup loops() {
        return group;
    }

    public List<LoopContext> contexts() {
        return List.copyOf(contexts);
    }

    /**
     * Stops accepting, lets exchanges finish, then closes the remaining connections. Blocks.
     *
     * @param millis the longest wait
     * @return the connections that were cut off
     */
    public int drain(long millis) throws InterruptedException {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        for (LoopContext context : contexts) {
            context.loop().execute(context::drain);
        }
        long until = System.nanoTime() + millis * 1_000_000;
        int left = busy();
        while (left > 0 && System.nanoTime() - until < 0) {
            Thread.sleep(10);
            left = busy();
        }
        return left;
    }

    private int busy() throws InterruptedException {
        int[] sum = new int[contexts.size()];
        CountDownLatch done = new CountDownLatch(contexts.size());
        for (int i = 0; i < sum.length; i++) {
            int index = i;
            contexts.get(i).loop().execute(() -> {
                sum[index] = contexts.get(index).busy();
                done.countDown();
            });
        }
        boolean all = done.await(1, TimeUnit.SECONDS);
        int total = all ? 0 : 1;
        for (int part : sum) {
            total += part;
        }
        return total;
    }

    @Override
    public void close() {
        listeners.forEach(Channel::close);
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
