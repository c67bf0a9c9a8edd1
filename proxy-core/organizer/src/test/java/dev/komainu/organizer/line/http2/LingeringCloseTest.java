package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.member.Credentials;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A drained connection whose last frame is in the kernel, with most of the bytes before it, when
 * the peer sends a further frame.
 */
class LingeringCloseTest {

    /**
     * More than the peer's kernel buffers unread; less than a first window without the reserve for
     * control.
     */
    private static final int BODY = 40_000;

    private static final int DATA = 0;
    private static final int GOAWAY = 7;
    /** Preface, SETTINGS, and a GET of stream 1 in three entries of HPACK's static table. */
    private static final byte[] REQUEST = ByteBuffer.allocate(24 + 9 + 9 + 3)
            .put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
            .put(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0})
            .put(new byte[] {0, 0, 3, 1, 5, 0, 0, 0, 1, (byte) 0x82, (byte) 0x86, (byte) 0x84})
            .array();

    private static final byte[] WINDOW_UPDATE = {0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 99};

    private final Ends ends = new Ends();

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    /** Owner that answers every request, and drains. */
    private static class AnsweringOwner implements LineConnection.Owner {

        final CompletableFuture<String> gone = new CompletableFuture<>();
        int lingerTimedOut;

        @Override
        public void ready(LineConnection connection) {}

        @Override
        public void streamClosed(LineConnection connection) {}

        @Override
        public void draining(LineConnection connection) {}

        @Override
        public void lingerTimedOut(LineConnection connection) {
            lingerTimedOut++;
        }

        @Override
        public void gone(LineConnection connection, String why) {
            gone.complete(why);
        }

        @Override
        public StreamListener requested(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream) {
            stream.head(Answers.ok(), false);
            stream.data(Unpooled.wrappedBuffer(Answers.pattern(BODY)), true);
            connection.drain();
            return StreamListener.NOBODY;
        }
    }

    /**
     * Handler between the codec and its socket: records the last frame, and what is read after it.
     */
    private static final class Wire extends ChannelDuplexHandler {

        final CompletableFuture<Void> lastSaid = new CompletableFuture<>();
        final CompletableFuture<Void> heardLater = new CompletableFuture<>();

        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            ctx.close(promise.unvoid().addListener(done -> lastSaid.complete(null)));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelOutputShutdownEvent) {
                lastSaid.complete(null);
            }
            ctx.fireUserEventTriggered(event);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (lastSaid.isDone()) {
                heardLater.complete(null);
            }
            ctx.fireChannelRead(message);
        }
    }

    /** The peer: sends a request, and reads nothing until the test lets it. */
    private static final class RequestingPeer extends ChannelInboundHandlerAdapter {

        final ByteArrayOutputStream heard = new ByteArrayOutputStream();
        final CompletableFuture<String> end = new CompletableFuture<>();
        boolean saidClose;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            byte[] copy = new byte[bytes.readableBytes()];
            bytes.readBytes(copy).release();
            heard.writeBytes(copy);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            saidClose |= event == SslCloseCompletionEvent.SUCCESS;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end.complete(String.valueOf(cause.getMessage()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end.complete("end");
        }

        int bodyBytes() {
            int body = 0;
            for (ByteBuffer in = ByteBuffer.wrap(heard.toByteArray()); in.remaining() >= 9; ) {
                int lengthAndType = in.getInt();
                int length = Math.min(
                        lengthAndType >>> 8, in.position(in.position() + 5).remaining());
                body += (lengthAndType & 0xff) == DATA ? length : 0;
                in.position(in.position() + length);
            }
            return body;
        }

        int goAways() {
            int count = 0;
            for (ByteBuffer in = ByteBuffer.wrap(heard.toByteArray()); in.remaining() >= 9; ) {
                int lengthAndType = in.getInt();
                count += (lengthAndType & 0xff) == GOAWAY ? 1 : 0;
                in.position(Math.min(in.position() + 5 + (lengthAndType >>> 8), in.limit()));
            }
            return count;
        }
    }

    @Test
    void lateFrame_inTheClear_costsThePeerNothing() throws Exception {
        lateFrame(null, null);
    }

    @Test
    void lateFrame_overTls_costsThePeerNothing(@TempDir Path directory) throws Exception {
        Certified.make(directory, "EC", "-1d", "peer.test").write(directory, "peer");
        Path certificate = directory.resolve("peer.crt");
        LineTls both = new LineTls(certificate, directory.resolve("peer.key"), certificate);
        lateFrame(both, both);
    }

    @Test
    void lateFrame_overTlsByASharedSecret_costsThePeerNothing(@TempDir Path directory)
            throws Exception {
        Path secret =
                Files.writeString(directory.resolve("secret"), "zJ4kWq8vN2xR7tBm5pLs9dFg3hYc6uEa");
        Credentials shared = Credentials.ofSecret(secret, "test");
        LineTls both = new LineTls(shared.tls(), shared.keys(), shared.trust());
        lateFrame(both, both);
    }

    private void lateFrame(@Nullable LineTls server, @Nullable LineTls client) throws Exception {
        AnsweringOwner owner = new AnsweringOwner();
        Wire wire = new Wire();
        InetSocketAddress at = (InetSocketAddress) new ServerBootstrap()
                .group(ends.loops)
                .channel(
                        Epoll.isAvailable()
                                ? EpollServerSocketChannel.class
                                : NioServerSocketChannel.class)
                // The whole response fits in the kernel, without a reader.
                .childOption(ChannelOption.SO_SNDBUF, 1 << 20)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(wire);
                        if (server != null) {
                            channel.pipeline()
                                    .addLast(server.forServer(channel.alloc(), Ends.QUICK));
                        }
                        channel.pipeline()
                                .addLast(Http2LineConnection.make(true, Ends.QUICK, owner, false));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
                .localAddress();
        RequestingPeer requester = new RequestingPeer();
        Channel peer = new Bootstrap()
                .group(ends.loops)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.SO_RCVBUF, 8_192)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (client != null) {
                            LineAddress to =
                                    new LineAddress(at.getAddress(), at.getPort(), "peer.test");
                            channel.pipeline()
                                    .addLast(client.forClient(channel.alloc(), to, Ends.QUICK));
                        }
                        channel.pipeline().addLast(requester);
                    }
                })
                .connect(at)
                .sync()
                .channel();
        SslHandler tls = peer.pipeline().get(SslHandler.class);
        if (tls != null) {
            tls.handshakeFuture().sync();
        }
        peer.config().setAutoRead(false);
        peer.writeAndFlush(Unpooled.wrappedBuffer(REQUEST)).sync();
        wire.lastSaid.get(180, TimeUnit.SECONDS);
        peer.writeAndFlush(Unpooled.wrappedBuffer(WINDOW_UPDATE)).sync();
        peer.config().setAutoRead(true);
        assertThat(requester.end.get(180, TimeUnit.SECONDS)).isEqualTo("end");
        assertThat(requester.bodyBytes()).isEqualTo(BODY);
        // The first GOAWAY, then the one with the last stream that counts.
        assertThat(requester.goAways()).isEqualTo(2);
        assertThat(requester.saidClose).isEqualTo(tls != null);
        wire.heardLater.get(180, TimeUnit.SECONDS);
        owner.gone.get(180, TimeUnit.SECONDS);
        assertThat(owner.lingerTimedOut).isZero();
    }

    @Test
    void peer_withoutEnd_isClosedInTimeAndCounted() {
        AnsweringOwner owner = new AnsweringOwner();
        EmbeddedChannel channel =
                new EmbeddedChannel(Http2LineConnection.make(true, Ends.QUICK, owner, false));
        channel.freezeTime();
        channel.writeInbound(Unpooled.wrappedBuffer(REQUEST));
        pass(channel, 1);
        assertThat(channel.isOpen()).as("it waits for the peer's end").isTrue();
        channel.releaseOutbound();
        channel.writeInbound(Unpooled.wrappedBuffer(WINDOW_UPDATE));
        assertThat(channel.<Object>readOutbound())
                .as("nothing is said any more")
                .isNull();
        pass(channel, LingeringClose.MOST_SECONDS);
        assertThat(channel.isOpen()).isFalse();
        assertThat(owner.gone).isCompleted();
        assertThat(owner.lingerTimedOut).isEqualTo(1);
        channel.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel channel, int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runPendingTasks();
        // A due task may have scheduled another.
        channel.runPendingTasks();
    }
}
