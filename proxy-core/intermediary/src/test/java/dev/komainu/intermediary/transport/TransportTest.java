package dev.komainu.intermediary.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every transport: the same bytes and the same ends, by whichever system calls. */
class TransportTest {

    private static final int TIMEOUT_SECONDS = 60;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CORK = 3;

    /** A handler that records the events of one accepted connection. */
    private static class RecordingHandler extends ChannelInboundHandlerAdapter {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final ByteArrayOutputStream received = new ByteArrayOutputStream();
        volatile ChannelHandlerContext context;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            context = ctx;
            seen.add("active");
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf in = (ByteBuf) message;
            synchronized (received) {
                received.writeBytes(ByteBufUtil.getBytes(in));
            }
            in.release();
        }

        String text() {
            synchronized (received) {
                return received.toString(StandardCharsets.ISO_8859_1);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                seen.add("input-ended");
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            seen.add("inactive");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            seen.add(cause instanceof IOException ? "broken" : cause.toString());
            ctx.close();
        }
    }

    private final LinkedBlockingQueue<RecordingHandler> accepted = new LinkedBlockingQueue<>();
    private EventLoopGroup group;
    private Channel listener;

    static List<Transport> transports() {
        return Arrays.stream(Transport.values()).filter(Transport::isAvailable).toList();
    }

    private void listen(Transport transport, boolean halfClosure) {
        group = transport.loops(1);
        EventLoop loop = group.next();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = new ServerBootstrap()
                .group(loop, loop)
                .channelFactory(transport.listener(address))
                .option(ChannelOption.SO_BACKLOG, 64)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        RecordingHandler handler = new RecordingHandler();
                        channel.pipeline().addLast(handler);
                        accepted.add(handler);
                    }
                })
                .bind(address)
                .syncUninterruptibly()
                .channel();
    }

    private Socket connect() throws IOException {
        Socket client = new Socket(
                InetAddress.getLoopbackAddress(),
                ((InetSocketAddress) listener.localAddress()).getPort());
        client.setSoTimeout(TIMEOUT_SECONDS * 1000);
        return client;
    }

    private RecordingHandler awaitAccepted() throws InterruptedException {
        RecordingHandler handler = accepted.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertThat(handler).isNotNull();
        withTimeout().until(() -> handler.context != null);
        return handler;
    }

    private static ConditionFactory withTimeout() {
        return await().atMost(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2));
    }

    private static void send(Socket client, String text) throws IOException {
        client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void awaitEvent(RecordingHandler handler, String what) {
        withTimeout().untilAsserted(() -> assertThat(handler.seen).contains(what));
    }

    private static void awaitText(RecordingHandler handler, String text) {
        withTimeout().untilAsserted(() -> assertThat(handler.text()).isEqualTo(text));
    }

    @AfterEach
    void tearDown() {
        if (listener != null) {
            listener.close().syncUninterruptibly();
        }
        if (group == null) {
            return;
        }
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void parse_unavailable_listsAvailable() {
        assertThat(Transport.parse("auto")).isEqualTo(Transport.best());
        assertThat(Transport.parse("nio")).isEqualTo(Transport.NIO);
        assertThatThrownBy(() -> Transport.parse("kqueue"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("kqueue (expected: auto, or one available on this system: ")
                .hasMessageContaining("nio");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void bytes_bothWaysInPieces_arriveInOrder(Transport transport) throws Exception {
        listen(transport, true);
        try (Socket client = connect()) {
            send(client, "one ");
            RecordingHandler handler = awaitAccepted();
            awaitText(handler, "one ");
            send(client, "two");
            awaitText(handler, "one two");
            assertThat(handler.context.channel().remoteAddress())
                    .isEqualTo(client.getLocalSocketAddress());
            assertThat(handler.context.channel().localAddress())
                    .isEqualTo(client.getRemoteSocketAddress());
            for (int i = 0; i < 3000; i++) {
                handler.context.write(
                        Unpooled.copiedBuffer("part " + i + "\n", StandardCharsets.US_ASCII));
            }
            handler.context
                    .writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(ChannelFutureListener.CLOSE);
            String all =
                    new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(all.lines()).hasSize(3000).startsWith("part 0").endsWith("part 2999");
            awaitEvent(handler, "inactive");
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void accepting_switchedOffAndOn_acceptsWaitingClients(Transport transport) throws Exception {
        listen(transport, true);
        try (Socket first = connect()) {
            send(first, "1");
            awaitText(awaitAccepted(), "1");
            for (int i = 0; i < 2; i++) {
                listener.eventLoop()
                        .submit(() -> listener.config().setAutoRead(false))
                        .sync();
                try (Socket early = connect();
                        Socket late = connect()) {
                    send(early, "early");
                    send(late, "late");
                    listener.eventLoop()
                            .submit(() -> listener.config().setAutoRead(true))
                            .sync();
                    awaitText(awaitAccepted(), "early");
                    awaitText(awaitAccepted(), "late");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void write_moreThanTheSocketAccepts_waitsForRoomAndSendsAll(Transport transport)
            throws Exception {
        listen(transport, true);
        int size = 40 << 20;
        try (Socket client = connect()) {
            RecordingHandler handler = awaitAccepted();
            byte[] body = new byte[size];
            for (int i = 0; i < size; i++) {
                body[i] = (byte) (i * 31 >> 8);
            }
            ChannelHandlerContext ctx = handler.context;
            ctx.executor().execute(() -> {
                ctx.write(Unpooled.directBuffer(size / 2).writeBytes(body, 0, size / 2));
                ctx.writeAndFlush(Unpooled.wrappedBuffer(body, size / 2, size / 2));
            });
            withTimeout().until(() -> !ctx.channel().isWritable());
            // Later writes stay behind it while it waits.
            ctx.writeAndFlush(Unpooled.copiedBuffer("end", StandardCharsets.US_ASCII));
            InputStream in = client.getInputStream();
            assertThat(in.readNBytes(size)).isEqualTo(body);
            assertThat(in.readNBytes(3)).isEqualTo("end".getBytes(StandardCharsets.US_ASCII));
            // There is room again: short writes are sent at once.
            ctx.writeAndFlush(Unpooled.copiedBuffer("more", StandardCharsets.US_ASCII));
            assertThat(in.readNBytes(4)).isEqualTo("more".getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * Writes on an outgoing connection: after the end of its input no event is awaited, until it
     * has to wait for room.
     */
    @ParameterizedTest
    @MethodSource("transports")
    void write_moreThanTheSocketAcceptsAfterEndOfInput_sendsAll(Transport transport)
            throws Exception {
        group = transport.loops(1);
        int size = 40 << 20;
        RecordingHandler handler = new RecordingHandler();
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Channel dialled = new Bootstrap()
                    .group(group)
                    .channel(transport.client())
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.AUTO_READ, false)
                    .handler(handler)
                    .connect(server.getLocalSocketAddress())
                    .syncUninterruptibly()
                    .channel();
            try (Socket peer = server.accept()) {
                peer.setSoTimeout(TIMEOUT_SECONDS * 1000);
                peer.shutdownOutput();
                dialled.read();
                awaitEvent(handler, "input-ended");
                dialled.writeAndFlush(Unpooled.directBuffer(size).writeZero(size));
                // Runs after it on the loop: the kernel has accepted as many bytes as it could.
                dialled.eventLoop().submit(() -> {}).sync();
                assertThat(dialled.isWritable()).isFalse();
                assertThat(peer.getInputStream().readNBytes(size)).hasSize(size);
                assertThat(dialled.isActive()).isTrue();
            }
        }
    }

    private Bootstrap dialling(Transport transport, RecordingHandler handler) {
        return new Bootstrap().group(group).channel(transport.client()).handler(handler);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void connect_nobodyListens_fails(Transport transport) throws Exception {
        group = transport.loops(1);
        SocketAddress address;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = server.getLocalSocketAddress();
        }
        ChannelFuture connect =
                dialling(transport, new RecordingHandler()).connect(address).await();
        assertThat(connect.cause()).isInstanceOf(ConnectException.class);
        connect.channel().closeFuture().sync();
    }

    /**
     * Two connections fill the queue of a listener with a backlog of 1, and the next SYN is
     * dropped.
     */
    @ParameterizedTest
    @MethodSource("transports")
    void connect_acceptQueueIsFull_endsAtItsTimeoutOrItsClose(Transport transport)
            throws Exception {
        group = transport.loops(1);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket first = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket second = new Socket(server.getInetAddress(), server.getLocalPort())) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            ChannelFuture closed = dialling(transport, new RecordingHandler())
                    .connect(server.getLocalSocketAddress());
            ChannelFuture late = dialling(transport, new RecordingHandler())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 50)
                    .connect(server.getLocalSocketAddress())
                    .await();
            assertThat(late.cause()).isInstanceOf(ConnectTimeoutException.class);
            assertThat(closed.isDone()).isFalse();
            closed.channel().close().sync();
            assertThat(closed.await().cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    /** The response of a server that closes behind it is read before the end is reported. */
    @ParameterizedTest
    @MethodSource("transports")
    void connect_serverSendsAndCloses_readsAllThenCloses(Transport transport) throws Exception {
        group = transport.loops(1);
        RecordingHandler handler = new RecordingHandler();
        byte[] body = new byte[300_000];
        Arrays.fill(body, (byte) 'x');
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel dialled = dialling(transport, handler)
                    .connect(server.getLocalSocketAddress())
                    .sync()
                    .channel();
            assertThat(dialled.remoteAddress()).isEqualTo(server.getLocalSocketAddress());
            try (Socket peer = server.accept()) {
                peer.getOutputStream().write(body);
            }
            awaitEvent(handler, "inactive");
        }
        assertThat(handler.text()).hasSize(body.length);
        assertThat(handler.seen).containsExactly("active", "inactive");
    }

    /** A limit holds from the next read on, however many bytes wait. */
    @Test
    void setMaxReadBytes_moreWaits_readsInPiecesOfThatSize() throws Exception {
        assumeThat(Transport.EPOLL.isAvailable()).isTrue();
        group = Transport.EPOLL.loops(1);
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        RecordingHandler handler = new RecordingHandler() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                sizes.add(((ByteBuf) message).readableBytes());
                super.channelRead(ctx, message);
            }
        };
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel dialled = dialling(Transport.EPOLL, handler)
                    .option(ChannelOption.AUTO_READ, false)
                    .connect(server.getLocalSocketAddress())
                    .sync()
                    .channel();
            ((BoundedReadChannel) dialled).setMaxReadBytes(1000);
            try (Socket peer = server.accept()) {
                peer.getOutputStream().write(new byte[2500]);
            }
            dialled.config().setAutoRead(true);
            dialled.closeFuture().sync();
        }
        assertThat(sizes).containsExactly(1000, 1000, 500);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void reading_switchedOff_readsNothingUntilSwitchedOn(Transport transport) throws Exception {
        listen(transport, true);
        try (Socket client = connect()) {
            send(client, "a");
            RecordingHandler handler = awaitAccepted();
            awaitText(handler, "a");
            ChannelHandlerContext ctx = handler.context;
            ctx.executor()
                    .submit(() -> ctx.channel().config().setAutoRead(false))
                    .sync();
            send(client, "b");
            // A second connection's bytes were sent later: when they have arrived, the first one's
            // were left unread on purpose.
            try (Socket other = connect()) {
                send(other, "later");
                awaitText(awaitAccepted(), "later");
            }
            assertThat(handler.text()).isEqualTo("a");
            ctx.executor()
                    .submit(() -> ctx.channel().config().setAutoRead(true))
                    .sync();
            awaitText(handler, "ab");
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void client_endsItsOutput_isReportedAndStillServed(Transport transport) throws Exception {
        listen(transport, true);
        try (Socket client = connect()) {
            send(client, "question");
            client.shutdownOutput();
            RecordingHandler handler = awaitAccepted();
            awaitEvent(handler, "input-ended");
            assertThat(handler.text()).isEqualTo("question");
            assertThat(handler.seen).doesNotContain("inactive");
            handler.context
                    .writeAndFlush(Unpooled.copiedBuffer("answer", StandardCharsets.US_ASCII))
                    .addListener(
                            done -> ((DuplexChannel) handler.context.channel()).shutdownOutput());
            assertThat(client.getInputStream().readAllBytes())
                    .isEqualTo("answer".getBytes(StandardCharsets.US_ASCII));
            handler.context.close();
            awaitEvent(handler, "inactive");
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void client_endsItsOutputWithoutHalfClosure_isClosed(Transport transport) throws Exception {
        listen(transport, false);
        try (Socket client = connect()) {
            RecordingHandler handler = awaitAccepted();
            client.shutdownOutput();
            awaitEvent(handler, "inactive");
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void client_resets_endsTheConnection(Transport transport) throws Exception {
        listen(transport, true);
        Socket client = connect();
        send(client, "x");
        RecordingHandler handler = awaitAccepted();
        awaitText(handler, "x");
        client.setSoLinger(true, 0);
        client.close();
        awaitEvent(handler, "inactive");
        assertThat(handler.context.channel().isOpen()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void close_withoutLingering_resetsTheClient(Transport transport) throws Exception {
        listen(transport, true);
        try (Socket client = connect()) {
            send(client, "x");
            RecordingHandler handler = awaitAccepted();
            awaitText(handler, "x");
            handler.context.executor().execute(() -> {
                handler.context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
                handler.context.close();
            });
            awaitEvent(handler, "inactive");
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3_000, 4 << 20})
    void close_corked_sendsAllBytesAndTheEnd(int size) throws Exception {
        assumeThat(Transport.EPOLL.isAvailable()).isTrue();
        listen(Transport.EPOLL, true);
        try (Socket client = connect()) {
            ClientChannel channel = acceptedOnEpoll(client);
            int corked = channel.eventLoop()
                    .submit(() -> {
                        channel.corkUntilClose();
                        int option = channel.socket().getIntOpt(IPPROTO_TCP, TCP_CORK);
                        channel.writeAndFlush(Unpooled.directBuffer(size).writeZero(size))
                                .addListener(ChannelFutureListener.CLOSE);
                        return option;
                    })
                    .get();
            assertThat(corked).isEqualTo(1);
            assertThat(client.getInputStream().readAllBytes()).hasSize(size);
        }
    }

    private ClientChannel acceptedOnEpoll(Socket client) throws Exception {
        send(client, "x");
        RecordingHandler handler = awaitAccepted();
        awaitText(handler, "x");
        return (ClientChannel) handler.context.channel();
    }

    /** An accepted socket inherits TCP_CORK: 200 ms for each short response, if it stayed. */
    @Test
    void firstWrite_notTheLast_isNotHeldBack() throws Exception {
        assumeThat(Transport.EPOLL.isAvailable()).isTrue();
        listen(Transport.EPOLL, true);
        try (Socket client = connect()) {
            ClientChannel channel = acceptedOnEpoll(client);
            List<Integer> corked = channel.eventLoop()
                    .submit(() -> {
                        int before = channel.socket().getIntOpt(IPPROTO_TCP, TCP_CORK);
                        channel.writeAndFlush(
                                Unpooled.copiedBuffer("y", StandardCharsets.US_ASCII));
                        return List.of(before, channel.socket().getIntOpt(IPPROTO_TCP, TCP_CORK));
                    })
                    .get();
            assertThat(corked).containsExactly(1, 0);
            assertThat(client.getInputStream().read()).isEqualTo('y');
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void connections_oneAfterTheOther_eachBeginsAnewOnItsDescriptor(Transport transport)
            throws Exception {
        listen(transport, true);
        for (int i = 0; i < 50; i++) {
            try (Socket client = connect()) {
                send(client, "n" + i);
                RecordingHandler handler = awaitAccepted();
                awaitText(handler, "n" + i);
                handler.context.close();
                assertThat(client.getInputStream().read()).isEqualTo(-1);
            }
        }
    }
}
