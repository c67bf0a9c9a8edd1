package dev.komainu.organizer.line;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The end of lines that answers: listens, lets peers in, hands what they ask to a {@link StreamTaker} on the event loop of their connection.
 *
 * <p>Without TLS whoever reaches its port is a peer. Safe for threads.
 */
public final class LineServer implements AutoCloseable {

    private final LineSettings settings;
    private final @Nullable LineTls tls;
    private final StreamTaker taker;
    private final Channel listener;
    private final Set<Entrance> entrances = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder strangers = new LongAdder();
    private final LongAdder streams = new LongAdder();
    private volatile boolean draining;

    /**
     * What it did so far.
     *
     * @param connections open now, strangers not counted
     * @param accepted TCP connections
     * @param strangers of these, refused: no TLS, or no certificate of the cluster's authority
     * @param streams taken
     */
    public record Figures(List<PeerConnection> connections, long accepted, long strangers, long streams) {}

    /** One connection, and whose it is. */
    public record PeerConnection(Peer peer, ConnectionFigures figures) {}

    /**
     * Listens.
     *
     * @param loops of epoll or of Java's selector
     * @param tls null: plain, for networks nobody else is on
     * @throws IOException when the address cannot be listened at
     * @throws IllegalArgumentException telling all settings out of range
     */
    public LineServer(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            @Nullable LineTls tls,
            StreamTaker taker)
            throws IOException {
        List<String> problems = new ArrayList<>();
        settings.check(problems);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", problems));
        }
        this.settings = settings;
        this.tls = tls;
        this.taker = taker;
        boolean epoll = loops instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1_024)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, Line.BUFFERS)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, Line.WATERMARK)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        enter(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "No line server at " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        this.listener = bound.channel();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private void enter(Channel channel) {
        accepted.increment();
        TcpFigures.tune(channel, settings);
        if (tls == null) {
            speak(channel, Set.of());
        } else {
            channel.pipeline().addLast(tls.forServer(channel.alloc(), settings), new Gate());
        }
    }

    private void speak(Channel channel, Set<String> names) {
        Entrance entrance = new Entrance(new Peer((InetSocketAddress) channel.remoteAddress(), names));
        LineConnection made = LineConnection.make(true, settings, entrance);
        entrance.connection = made;
        entrances.add(entrance);
        channel.pipeline().addLast(made);
        if (draining) {
            made.drain();
        }
    }

    /** Nobody is heard before he has shown who he is. */
    private final class Gate extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                SslHandler handler = ctx.pipeline().get(SslHandler.class);
                if (done.isSuccess() && LineTls.speaksHttp2(handler)) {
                    speak(ctx.channel(), LineTls.names(handler));
                    ctx.pipeline().remove(this);
                } else {
                    strangers.increment();
                    ctx.close();
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // What is no TLS; the handshake's end tells, and counts.
            ctx.close();
        }
    }

    /** A peer's connection, at this end. */
    private final class Entrance implements LineConnection.Owner {

        private final Peer peer;
        private @Nullable LineConnection connection;

        Entrance(Peer peer) {
            this.peer = peer;
        }

        @Override
        public StreamEvents asked(LineConnection by, Http2Headers head, boolean ends, WireStream stream) {
            streams.increment();
            return taker.take(head, ends, stream, peer);
        }

        @Override
        public void ready(LineConnection told) {
            // It asks when it wants.
        }

        @Override
        public void streamClosed(LineConnection told) {
            // One place more; the peer counts its own.
        }

        @Override
        public void draining(LineConnection told) {
            // A client that says GOAWAY asks no more.
        }

        @Override
        public void gone(LineConnection told, String why) {
            entrances.remove(this);
        }
    }

    /** As of now, gathered on the connections' loops; not to be called on one of them. */
    public Figures figures() {
        List<PeerConnection> connections = new ArrayList<>();
        for (Entrance entrance : entrances) {
            LineConnection connection = entrance.connection;
            if (connection != null) {
                connection
                        .loop()
                        .submit(() -> connections.add(new PeerConnection(entrance.peer, connection.figures())))
                        .awaitUninterruptibly();
            }
        }
        return new Figures(List.copyOf(connections), accepted.sum(), strangers.sum(), streams.sum());
    }

    /** Hears no new peers, and says GOAWAY to the others: what they have asked already is still answered. */
    public void drain() {
        draining = true;
        listener.close();
        for (Entrance entrance : entrances) {
            LineConnection connection = entrance.connection;
            if (connection != null) {
                connection.loop().execute(connection::drain);
            }
        }
    }

    /** Closes everything; streams end {@link StreamEnd.Reason#CLOSED} here and are lost for peers. Returns before that is done. */
    @Override
    public void close() {
        draining = true;
        listener.close();
        for (Entrance entrance : entrances) {
            LineConnection connection = entrance.connection;
            if (connection != null) {
                connection.loop().execute(() -> connection.close(StreamEnd.CLOSED));
            }
        }
    }
}
