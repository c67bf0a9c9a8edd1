package dev.komainu.proxy.acceptor;

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

/** The listening sockets, one per event loop, and the loops behind them. */
public final class Acceptor implements AutoCloseable {

    private static final int BACKLOG = 4096;
    private static final int WATERMARK = 64 * 1024;

    private final Transport transport;
    private final EventLoopGroup group;
    private final List<LoopContext> workers = new ArrayList<>();
    private final List<Channel> listeners = new ArrayList<>();

    private final int doors;
    private final PooledByteBufAllocator allocator;

    private Acceptor(
            Transport transport,
            EventLoopGroup group,
            PooledByteBufAllocator allocator,
            int doors) {
        this.allocator = allocator;
        this.doors = doors;
        this.transport = transport;
        this.group = group;
    }

    /**
     * Begins to listen.
     *
     * @param doors at least one
     * @param workers called once for each event loop
     * @throws BindException when an address cannot be had
     */
    public static Acceptor open(
            List<ListenAddress> doors,
            int workerCount,
            Transport transport,
            ConnectionLimits limits,
            WorkerFactory workers)
            throws BindException {
        for (ListenAddress door : doors) {
            probe(door);
        }
        EventLoopGroup group = transport.loops(workerCount);
        // Two arenas are plenty for as many loops; small chunks keep an idle proxy small.
        PooledByteBufAllocator allocator =
                new PooledByteBufAllocator(true, 0, workerCount, 8192, 6, 64, 32, true);
        Acceptor acceptor = new Acceptor(transport, group, allocator, doors.size());
        InetSocketAddress[] bound =
                doors.stream().map(ListenAddress::address).toArray(InetSocketAddress[]::new);
        for (EventExecutor executor : group) {
            EventLoop loop = (EventLoop) executor;
            LoopContext worker = workers.create(loop, transport.client(), allocator);
            acceptor.workers.add(worker);
            limits.reclamation().join(worker);
            limits.buffers().join(worker.buffers());
            if (transport.sharesPorts() || acceptor.listeners.isEmpty()) {
                for (int i = 0; i < bound.length; i++) {
                    bound[i] = acceptor.listen(
                            doors.get(i), bound[i], loop, worker, allocator, limits);
                }
            }
        }
        return acceptor;
    }

    /** Sockets that share a port do not notice another program's: a plain one does. */
    private static void probe(ListenAddress door) throws BindException {
        InetSocketAddress address = door.address();
        try (ServerSocket plain = new ServerSocket()) {
            plain.setReuseAddress(true);
            plain.bind(address);
        } catch (IOException e) {
            throw new BindException(door.name() + ": " + address.getHostString() + ":"
                    + address.getPort() + " (" + e.getMessage() + ")");
        }
    }

    private InetSocketAddress listen(
            ListenAddress door,
            InetSocketAddress address,
            EventLoop loop,
            LoopContext worker,
            PooledByteBufAllocator allocator,
            ConnectionLimits limits)
            throws BindException {
        // Java's selector cannot share a port: its one listener spreads connections over all loops
        // by itself.
        boolean shares = transport.sharesPorts();
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loop, shares ? loop : group)
                .channelFactory(transport.listener(address))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(new OutOfDescriptors(worker))
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(WATERMARK / 2, WATERMARK))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(door, channel, shares ? worker : workerOf(channel), limits);
                    }
                });
        var bind = bootstrap.bind(address).awaitUninterruptibly();
        if (!bind.isSuccess()) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new BindException(door.name() + ": " + address.getHostString() + ":"
                    + address.getPort() + " ("
                    + (bind.cause() == null ? "cancelled" : bind.cause().getMessage()) + ")");
        }
        listeners.add(bind.channel());
        return (InetSocketAddress) bind.channel().localAddress();
    }

    private LoopContext workerOf(Channel channel) {
        return workers.stream()
                .filter(w -> w.loop() == channel.eventLoop())
                .findFirst()
                .orElseThrow();
    }

    private static void accept(
            ListenAddress door, Channel channel, LoopContext worker, ConnectionLimits limits) {
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        InetAddress client = peer == null ? null : peer.getAddress();
        if (peer == null || client == null) {
            channel.close();
            return;
        }
        switch (limits.clients().enter(client)) {
            case ENTERED -> letIn(door, channel, worker, peer, false);
            case CLIENT_FULL ->
                turnAway(door, channel, limits.clients(), ClientCounts.Entry.CLIENT_FULL);
            case FULL ->
                channel.pipeline()
                        .addLast(new WaitingClient(
                                door, worker, peer, limits.clients(), limits.reclamation()));
        }
    }

    /**
     * It is counted. @param hasWaited for its place, so that it could have said something, unless
     * it speaks TLS
     */
    static void letIn(
            ListenAddress door,
            Channel channel,
            LoopContext worker,
            InetSocketAddress peer,
            boolean hasWaited) {
        if (door.certificates() == null) {
            ClientConnection connection = new ClientConnection(worker, channel, peer, false);
            if (hasWaited) {
                connection.markWaited();
            }
            channel.pipeline().addLast(connection);
        } else {
            door.certificates().begin(channel.pipeline(), channel.alloc());
            channel.pipeline().addLast(new TlsAcceptHandler(worker, peer));
        }
    }

    /**
     * Says why (RFC 9110 section 15.6.4), as far as the client listens before it speaks, and
     * closes.
     */
    static void turnAway(
            ListenAddress door, Channel channel, ClientCounts clients, ClientCounts.Entry entry) {
        clients.refuse(entry);
        if (door.certificates() != null) {
            // What could be said is worth no handshake.
            channel.close();
            return;
        }
        String message = "503 Service Unavailable\n"
                + (entry == ClientCounts.Entry.FULL
                        ? "This proxy has as many connections as it may (connections.max).\n"
                        : "This client has as many connections as it may (connections.max-per-client).\n");
        channel.writeAndFlush(Unpooled.copiedBuffer(
                        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
                                + "Retry-After: 1\r\nConnection: close\r\nContent-Length: "
                                + message.length()
                                + "\r\n\r\n" + message,
                        StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** Where it listens, in the order of the doors: the port that was had when 0 was asked. */
    public InetSocketAddress address(int door) {
        return (InetSocketAddress) listeners.get(door).localAddress();
    }

    /** All of them, one for each door. */
    public List<InetSocketAddress> addresses() {
        return IntStream.range(0, doors).mapToObj(this::address).toList();
    }

    /**
     * Direct memory in connections' buffers now: what live ones take towards clients, and what
     * Netty's own allocator, where those to origins come from, has of the system. Any thread.
     */
    public long bufferBytes() {
        long towardsOrigins =
                ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider told
                        ? told.metric().usedDirectMemory()
                        : 0;
        return allocator.pinnedDirectMemory() + towardsOrigins;
    }

    /** The workers' loops. */
    public EventLoopGroup loops() {
        return group;
    }

    public List<LoopContext> workers() {
        return List.copyOf(workers);
    }

    /**
     * Stops accepting, lets exchanges finish, then closes what is left. @return connections cut off
     */
    public int drain(long millis) throws InterruptedException {
        listeners.forEach(listener -> listener.close().awaitUninterruptibly());
        for (LoopContext worker : workers) {
            worker.loop().execute(worker::drain);
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
        int[] sum = new int[workers.size()];
        CountDownLatch told = new CountDownLatch(workers.size());
        for (int i = 0; i < sum.length; i++) {
            int at = i;
            workers.get(i).loop().execute(() -> {
                sum[at] = workers.get(at).busy();
                told.countDown();
            });
        }
        boolean all = told.await(1, TimeUnit.SECONDS);
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
