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
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * How QUIC connections of lines are made: dialled from a UDP port of their own, or taken at the one
 * that is the line's.
 */
public final class QuicTransport {

    /** Of the kernel, each way; it gives what it may. */
    private static final int SOCKET_BYTES = 4 << 20;

    private static final int DATAGRAM_BYTES = 2_048;
    private static final int DATAGRAMS_AT_ONCE = 16;

    /** A slow peer of 32 packets is no burden, and most objects are shorter. */
    private static final int FIRST_PACKETS = 32;

    /**
     * Never the bound: how many there may be says {@link QuicControlStream}, and who asks for more
     * is refused.
     */
    private static final int MANY_STREAMS = 1_000_000_000;

    private QuicTransport() {}

    /** Why lines cannot run over QUIC on this machine; null: they can. */
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
        // Whoever is there says something every ping; the line's own pulse finds out sooner who is
        // not.
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
                        channel.pipeline().addLast(codec, new Unheeded());
                    }
                });
        if (epoll) {
            // Many packets by one call of the kernel.
            port.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM_BYTES)
                    .option(
                            ChannelOption.RCVBUF_ALLOCATOR,
                            new FixedRecvByteBufAllocator(DATAGRAM_BYTES * DATAGRAMS_AT_ONCE));
        }
        return port;
    }

    /**
     * What a UDP socket reports, such as that nobody listens there, a connection finds out by
     * itself.
     */
    private static final class Unheeded extends ChannelInboundHandlerAdapter {

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Of no single connection.
        }
    }

    /** A way to connect to this peer, on its line's loop. */
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
        QuicConnection made = new QuicConnection(caller, settings, false);
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
                    .handler(made)
                    .remoteAddress(to.socket())
                    .connect()
                    .addListener((Future<QuicChannel> connected) -> {
                        if (connected.isSuccess()) {
                            connected.getNow().closeFuture().addListener(done -> port.close());
                            caller.dialled(made);
                        } else {
                            port.close();
                            Throwable cause = connected.cause();
                            caller.failed((cause instanceof SSLException ? "QUIC, TLS: " : "QUIC: ")
                                    + cause.getMessage());
                        }
                    });
        });
    }

    /**
     * Listens at a UDP address, with a socket for each loop where the kernel divides what comes
     * among them, else with one.
     *
     * @param each gets each connection whose peer has shown who it is, before its first stream
     * @param stranger told of each that was none
     * @throws IOException when the address cannot be had
     */
    public static List<Channel> listen(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            LineTls tls,
            Consumer<QuicChannel> each,
            Runnable stranger)
            throws IOException {
        List<Channel> ports = new ArrayList<>();
        for (EventExecutor executor : loops) {
            EventLoop loop = (EventLoop) executor;
            boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
            if (!epoll && !ports.isEmpty()) {
                break;
            }
            ChannelHandler codec = tuned(new QuicServerCodecBuilder(), settings)
                    .sslEngineProvider(quic -> tls.quicServer(quic.alloc()))
                    .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                    .handler(new ChannelInitializer<QuicChannel>() {
                        @Override
                        protected void initChannel(QuicChannel channel) {
                            channel.pipeline().addLast(new Gate(each, stranger));
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

    /** Nobody is heard before he has shown who he is. */
    private static final class Gate extends ChannelInboundHandlerAdapter {

        private final Consumer<QuicChannel> each;
        private final Runnable stranger;
        private boolean through;

        Gate(Consumer<QuicChannel> each, Runnable stranger) {
            this.each = each;
            this.stranger = stranger;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            through = true;
            each.accept((QuicChannel) ctx.channel());
            ctx.fireChannelActive();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!through) {
                stranger.run();
            }
            ctx.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // A handshake that fails; the connection's end tells, and counts.
            if (through) {
                ctx.fireExceptionCaught(cause);
            } else {
                ctx.close();
            }
        }
    }
}
