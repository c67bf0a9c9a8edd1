package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.http2.Http2LineConnection;
import dev.komainu.organizer.line.http2.TcpSocket;
import dev.komainu.organizer.line.quic.QuicConnection;
import dev.komainu.organizer.line.quic.QuicTransport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
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
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The end of lines that answers: listens, lets peers in, hands what they ask to a
 * {@link StreamAcceptor} on the event loop of their connection.
 *
 * <p>Without TLS whoever reaches its port is a peer. Safe for threads.
 */
public final class LineServer implements AutoCloseable {

    private final LineSettings settings;
    private final @Nullable LineTls tls;
    private final StreamAcceptor taker;
    private final Channel listener;
    /** Of UDP; empty: it answers over TCP alone. */
    private final List<Channel> ports;

    private final String withoutQuic;
    private final Set<Entrance> entrances = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder strangers = new LongAdder();
    private final LongAdder streams = new LongAdder();
    private final LongAdder lingerTimeouts = new LongAdder();
    private volatile boolean draining;
    private volatile boolean closed;

    /**
     * What it did so far.
     *
     * @param connections open now, strangers not counted
     * @param accepted connections
     * @param strangers of these, refused: no TLS, or no certificate of the cluster's authority
     * @param streams taken
     * @param lingerTimeouts connections closed because the peer's end did not follow their last
     *     frame in time
     */
    public record Figures(
            List<PeerConnection> connections,
            long accepted,
            long strangers,
            long streams,
            long lingerTimeouts) {}

    /** One connection, and whose it is. */
    public record PeerConnection(LinePeer peer, ConnectionFigures figures) {}

    /**
     * Listens.
     *
     * @param loops of epoll or of Java's selector
     * @param tls null: plain, for networks nobody else is on
     * @throws IOException when the address cannot be listened at
     */
    public LineServer(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            @Nullable LineTls tls,
            StreamAcceptor taker)
            throws IOException {
        this.settings = settings;
        this.tls = tls;
        this.taker = taker;
        boolean epoll = loops instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1_024)
                .option(ChannelOption.SO_REUSEADDR, true)
                // Nobody is let in before it is known what else this end answers over.
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, LineBuffers.WATER_MARK)
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
                    "No line server at " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        this.listener = bound.channel();
        List<Channel> udp = List.of();
        String missing = "not asked for";
        if (settings.carrier() != LineCarrier.TCP) {
            missing = tls == null ? "the line has no TLS" : QuicTransport.missing();
            if (tls != null && missing == null) {
                try {
                    udp = QuicTransport.listen(
                            loops, address(), settings, tls, this::enter, this::strange);
                    missing = "";
                } catch (IOException e) {
                    missing = String.valueOf(e.getMessage());
                }
            }
        }
        this.ports = udp;
        this.withoutQuic = String.valueOf(missing);
        listener.config().setAutoRead(true);
    }

    /** Why it does not answer over QUIC, at the UDP port of the same number; empty: it does. */
    public String withoutQuic() {
        return withoutQuic;
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private void enter(Channel channel) {
        accepted.increment();
        TcpSocket.tune(channel, settings);
        if (tls == null) {
            speak(channel, Set.of());
        } else {
            channel.pipeline().addLast(tls.forServer(channel.alloc(), settings), new Gate());
        }
    }

    private void speak(Channel channel, Set<String> names) {
        Entrance entrance =
                new Entrance(new LinePeer((InetSocketAddress) channel.remoteAddress(), names));
        Http2LineConnection made =
                Http2LineConnection.make(true, settings, entrance, withoutQuic.isEmpty());
        speak(channel, entrance, made, made);
    }

    private void speak(
            Channel channel, Entrance entrance, LineConnection made, ChannelHandler handler) {
        // In the pipeline before others know of it: they ask it for its loop.
        channel.pipeline().addLast(handler);
        entrance.connection = made;
        entrances.add(entrance);
        if (!channel.isActive()) {
            entrances.remove(entrance);
        } else if (closed) {
            made.close(StreamEnd.CLOSED);
        } else if (draining) {
            made.drain();
        }
    }

    /** Over QUIC; its peer has shown who it is. */
    private void enter(QuicChannel channel) {
        accepted.increment();
        if (draining) {
            // Its port is open for those who are here.
            channel.close();
            return;
        }
        SSLEngine engine = channel.sslEngine();
        Set<String> names = engine == null ? Set.of() : LineTls.names(engine.getSession());
        Entrance entrance = new Entrance(
                new LinePeer((InetSocketAddress) channel.remoteSocketAddress(), names));
        QuicConnection made = new QuicConnection(entrance, settings, true);
        speak(channel, entrance, made, made);
    }

    private void strange() {
        accepted.increment();
        strangers.increment();
    }

    /** Nobody is heard before he has shown who he is. */
    private final class Gate extends ChannelInboundHandlerAdapter {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                SslHandler handler = ctx.pipeline().get(SslHandler.class);
                if (done.isSuccess() && LineTls.speaksHttp2(handler)) {
                    speak(ctx.channel(), LineTls.names(handler.engine().getSession()));
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

        private final LinePeer peer;
        private @Nullable LineConnection connection;

        Entrance(LinePeer peer) {
            this.peer = peer;
        }

        @Override
        public StreamListener asked(
                LineConnection by, Http2Headers head, boolean ends, LineStream stream) {
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
        public void lingeredOut(LineConnection told) {
            lingerTimeouts.increment();
        }

        @Override
        public void gone(LineConnection told, String why) {
            entrances.remove(this);
            closePortsIfLeft();
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
                        .submit(() -> connections.add(
                                new PeerConnection(entrance.peer, connection.figures())))
                        .awaitUninterruptibly();
            }
        }
        return new Figures(
                List.copyOf(connections),
                accepted.sum(),
                strangers.sum(),
                streams.sum(),
                lingerTimeouts.sum());
    }

    /** A UDP port is everybody's who is connected: it closes behind the last of them. */
    private void closePortsIfLeft() {
        if (draining && entrances.isEmpty()) {
            ports.forEach(Channel::close);
        }
    }

    /**
     * Hears no new peers, and says GOAWAY to the others: what they have asked already is still
     * answered.
     */
    public void drain() {
        draining = true;
        listener.close();
        for (Entrance entrance : entrances) {
            LineConnection connection = entrance.connection;
            if (connection != null) {
                connection.loop().execute(connection::drain);
            }
        }
        closePortsIfLeft();
    }

    /**
     * Closes everything; streams end {@link StreamEnd.Reason#CLOSED} here and are lost for peers.
     * Returns before that is done.
     */
    @Override
    public void close() {
        closed = true;
        draining = true;
        listener.close();
        for (Entrance entrance : entrances) {
            LineConnection connection = entrance.connection;
            if (connection != null) {
                connection.loop().execute(() -> connection.close(StreamEnd.CLOSED));
            }
        }
        // Behind the connections' last words, on the same loops.
        ports.forEach(port -> port.eventLoop().execute(port::close));
    }
}
