package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.connection.LineConnector;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.codec.quic.QuicCodecBuilder;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Factory of QUIC connections of lines: dialled from a UDP port of their own, or accepted at the
 * line's port.
 */
// A failed close changes nothing: the channel's closeFuture reports the end.
@SuppressWarnings("FutureReturnValueIgnored")
public final class QuicTransport {

    /** Kernel buffer of a UDP socket, each way; the kernel may grant less. */
    private static final int SOCKET_BYTES = 4 << 20;

    private static final int DATAGRAM_BYTES = 2_048;
    private static final int DATAGRAMS_AT_ONCE = 16;

    /** 32 packets do not overload a slow peer, and most objects are shorter. */
    private static final int FIRST_PACKETS = 32;

    /**
     * No limit in practice: {@link QuicControlStream} limits the streams, and refuses those above.
     */
    private static final int MANY_STREAMS = 1_000_000_000;

    private QuicTransport() {}

    /** Returns the reason why lines cannot use QUIC on this machine; null: they can. */
    public static @Nullable String missing() {
        if (Quic.isAvailable()) {
            return null;
        }
        Throwable why = Quic.unavailabilityCause();
        return "no QUIC library for this machine"
                + (why == null ? "" : " (" + why.getMessage() + ")");
    }

    private static <B extends QuicCodecBuilder<B>> B tuned(B builder, LineSettings settings) {
        long stream = settings.streamWindowBytes() + (64L << 10);
        // A live peer answers every ping; the line's own ping monitor detects a lost peer earlier.
        long idle =
                2 * settings.silence().toMillis() + settings.connectTimeout().toMillis();
        return builder.congestionControlAlgorithm(QuicPath.congestion(settings))
                .initialCongestionWindowPackets(FIRST_PACKETS)
                .maxIdleTimeout(idle, TimeUnit.MILLISECONDS)
                .initialMaxData(Math.max(settings.connectionWindowBytes(), stream))
                .initialMaxStreamDataBidirectionalLocal(stream)
                .initialMaxStreamDataBidirectionalRemote(stream)
                .initialMaxStreamDataUnidirectional(1 << 20)
                .initialMaxStreamsBidirectional(MANY_STREAMS)
                .initialMaxStreamsUnidirectional(1)
                .activeMigration(false)
                .maxSendUdpPayloadSize(QuicPath.PACKET);
    }

    private static Bootstrap udp(EventLoop loop, ChannelHandler codec) {
        boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        Bootstrap port = new Bootstrap()
                .group(loop)
                .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
                .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .option(ChannelOption.SO_RCVBUF, SOCKET_BYTES)
                .option(ChannelOption.SO_SNDBUF, SOCKET_BYTES)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(codec, new ErrorIgnoringHandler());
                    }
                });
        if (epoll) {
            // Many packets per system call.
            port.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM_BYTES)
                    .option(
                            ChannelOption.RCVBUF_ALLOCATOR,
                            new FixedRecvByteBufAllocator(DATAGRAM_BYTES * DATAGRAMS_AT_ONCE));
        }
        return port;
    }

    /**
     * Handler that ignores errors of a UDP socket, such as a port without a process: each
     * connection detects them itself.
     */
    private static final class ErrorIgnoringHandler extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Not the error of a single connection.
        }
    }

    /** Returns a connector to this peer, on its line's loop. */
    public static LineConnector dialling(
            EventLoop loop, LineAddress to, LineSettings settings, LineTls tls) {
        return caller -> dial(caller, loop, to, settings, tls);
    }

    private static void dial(
            LineConnector.Caller caller,
            EventLoop loop,
            LineAddress to,
            LineSettings settings,
            LineTls tls) {
        QuicConnection created = new QuicConnection(caller, settings, false);
        ChannelHandler codec = tuned(new QuicClientCodecBuilder(), settings)
                .sslEngineProvider(quic -> tls.quicClient(quic.alloc(), to))
                .build();
        udp(loop, codec).bind(new InetSocketAddress(0)).addListener((ChannelFuture bound) -> {
            if (!bound.isSuccess()) {
                caller.failed("UDP: " + bound.cause().getMessage());
                return;
            }
            Channel port = bound.channel();
            QuicChannel.newBootstrap(port)
                    .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                            settings.connectTimeout().toMillis())
                    .handler(created)
                    .remoteAddress(to.socket())
                    .connect()
                    .addListener((Future<QuicChannel> connected) -> {
                        QuicChannel channel = connected.getNow();
                        if (connected.isSuccess() && isMember(channel, tls)) {
                            channel.closeFuture().addListener(closed -> port.close());
                            caller.dialled(created);
                        } else if (connected.isSuccess()) {
                            channel.close();
                            port.close();
                            caller.failed("QUIC, TLS: the peer is no member any more");
                        } else {
                            port.close();
                            Throwable cause = connected.cause();
                            caller.failed((cause instanceof SSLException ? "QUIC, TLS: " : "QUIC: ")
                                    + cause.getMessage());
                        }
                    });
        });
    }

    private static boolean isMember(QuicChannel channel, LineTls tls) {
        SSLEngine engine = channel.sslEngine();
        return engine != null && tls.admits(engine.getSession(), channel);
    }

    /**
     * Listens at a UDP address, with a socket for each loop where the kernel distributes the
     * packets among them, else with one.
     *
     * @param acceptors called when a handshake begins; its acceptor gets the connection when its
     *     peer is authenticated, before its first stream
     * @param refused runs for each connection that was refused
     * @throws IOException when the address cannot be bound
     */
    public static List<Channel> listen(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            LineTls tls,
            Supplier<Consumer<QuicChannel>> acceptors,
            Runnable refused)
            throws IOException {
        return listen(
                loops, address, settings, tls, acceptors, refused, RetryTokens.FREE_HANDSHAKES);
    }

    /**
     * Listens with another limit.
     *
     * @param freeHandshakes in progress, beyond which peers must return a token first
     */
    static List<Channel> listen(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            LineTls tls,
            Supplier<Consumer<QuicChannel>> acceptors,
            Runnable refused,
            int freeHandshakes)
            throws IOException {
        List<Channel> ports = new ArrayList<>();
        AtomicInteger handshakes = new AtomicInteger();
        byte[] key = RetryTokens.key();
        for (EventExecutor executor : loops) {
            EventLoop loop = (EventLoop) executor;
            boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
            if (!epoll && !ports.isEmpty()) {
                break;
            }
            ChannelHandler codec = tuned(new QuicServerCodecBuilder(), settings)
                    .sslEngineProvider(quic -> tls.quicServer(quic.alloc()))
                    .tokenHandler(new RetryTokens(
                            key,
                            handshakes,
                            freeHandshakes,
                            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime())))
                    .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                    .handler(new ChannelInitializer<QuicChannel>() {
                        @Override
                        protected void initChannel(QuicChannel channel) {
                            channel.pipeline()
                                    .addLast(new Gate(acceptors.get(), refused, handshakes));
                        }
                    })
                    .build();
            Bootstrap port = udp(loop, codec);
            if (epoll) {
                port.option(EpollChannelOption.SO_REUSEPORT, true);
            }
            ChannelFuture bound = port.bind(address).awaitUninterruptibly();
            if (!bound.isSuccess()) {
                ports.forEach(Channel::close);
                throw new IOException(
                        "UDP " + address + ": " + bound.cause().getMessage(), bound.cause());
            }
            ports.add(bound.channel());
        }
        return ports;
    }

    /** Gate in front of a connection: no message is read before the peer is authenticated. */
    private static final class Gate extends ChannelInboundHandlerAdapter {

        private final Consumer<QuicChannel> acceptor;
        private final Runnable refused;
        private final AtomicInteger handshakes;
        private boolean isAuthenticated;
        private boolean isOver;

        Gate(Consumer<QuicChannel> acceptor, Runnable refused, AtomicInteger handshakes) {
            this.handshakes = handshakes;
            this.acceptor = acceptor;
            this.refused = refused;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            handshakes.incrementAndGet();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            handshakeEnds();
        }

        private void handshakeEnds() {
            if (!isOver) {
                isOver = true;
                handshakes.decrementAndGet();
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            isAuthenticated = true;
            handshakeEnds();
            acceptor.accept((QuicChannel) ctx.channel());
            ctx.fireChannelActive();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            handshakeEnds();
            if (!isAuthenticated) {
                refused.run();
            }
            ctx.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // A handshake that failed; the connection's end reports and counts it.
            if (isAuthenticated) {
                ctx.fireExceptionCaught(cause);
            } else {
                ctx.close();
            }
        }
    }
}
