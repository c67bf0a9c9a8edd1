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
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The server end of lines: listens, accepts peers, and passes their requests to a
 * {@link StreamAcceptor} on the event loop of their connection.
 *
 * <p>Without TLS every client that reaches the port is a peer. Thread-safe.
 */
// A failed close changes nothing: the channel's closeFuture reports the end.
@SuppressWarnings("FutureReturnValueIgnored")
public final class LineServer implements AutoCloseable {

    private final LineSettings settings;
    private final @Nullable LineTls tls;
    private final StreamAcceptor acceptor;
    private final Channel listener;
    /** The UDP channels; empty: the server accepts TCP only. */
    private final List<Channel> ports;

    private final String withoutQuic;
    private final Set<AcceptedConnection> acceptedConnections = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder strangers = new LongAdder();
    private final LongAdder streams = new LongAdder();
    private final LongAdder lingerTimeouts = new LongAdder();
    /**
     * Number of renewals: a handshake that began before the last one shows a former certificate.
     */
    private volatile int renewals;

    private volatile boolean draining;
    private volatile boolean closed;

    /**
     * Figures of a server since it was made.
     *
     * @param connections open now, without strangers
     * @param accepted accepted connections
     * @param strangers part of these that were refused: no TLS, or no certificate of the cluster's
     *     authority
     * @param streams accepted requests
     * @param lingerTimeouts connections closed because the peer's end did not follow their last
     *     frame in time
     */
    public record Figures(
            List<PeerConnection> connections,
            long accepted,
            long strangers,
            long streams,
            long lingerTimeouts) {}

    /** One connection with its peer. */
    public record PeerConnection(LinePeer peer, ConnectionFigures figures) {}

    /**
     * Starts to listen.
     *
     * @param loops of epoll or of Java's selector
     * @param tls null: plain, for private networks
     * @throws IOException when the address cannot be bound
     */
    public LineServer(
            EventLoopGroup loops,
            InetSocketAddress address,
            LineSettings settings,
            @Nullable LineTls tls,
            StreamAcceptor acceptor)
            throws IOException {
        this.settings = settings;
        this.tls = tls;
        this.acceptor = acceptor;
        boolean epoll = loops instanceof IoEventLoopGroup io && io.isIoType(EpollIoHandler.class);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1_024)
                .option(ChannelOption.SO_REUSEADDR, true)
                // No peer is accepted before the other carriers of this server are known.
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, LineBuffers.WATER_MARK)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
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
        String reason = "not configured";
        if (settings.carrier() != LineCarrier.TCP) {
            reason = tls == null ? "the line has no TLS" : QuicTransport.missing();
            if (tls != null && reason == null) {
                try {
                    udp = QuicTransport.listen(
                            loops,
                            address(),
                            settings,
                            tls,
                            this::acceptorOfHandshake,
                            this::countStranger);
                    reason = "";
                } catch (IOException e) {
                    reason = String.valueOf(e.getMessage());
                }
            }
        }
        this.ports = udp;
        this.withoutQuic = String.valueOf(reason);
        listener.config().setAutoRead(true);
    }

    /**
     * Returns the reason why the server does not accept QUIC at the UDP port of the same number;
     * empty: it does.
     */
    public String withoutQuic() {
        return withoutQuic;
    }

    /** Returns the bound address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private void accept(Channel channel) {
        accepted.increment();
        TcpSocket.tune(channel, settings);
        if (tls == null) {
            addConnection(channel, Set.of());
        } else {
            channel.pipeline().addLast(tls.forServer(channel.alloc(), settings), new Gate(tls));
        }
    }

    private LineConnection addConnection(Channel channel, Set<String> names) {
        AcceptedConnection acceptedConnection = new AcceptedConnection(
                new LinePeer((InetSocketAddress) channel.remoteAddress(), names));
        Http2LineConnection created =
                Http2LineConnection.make(true, settings, acceptedConnection, withoutQuic.isEmpty());
        addConnection(channel, acceptedConnection, created, created);
        return created;
    }

    private void addConnection(
            Channel channel,
            AcceptedConnection acceptedConnection,
            LineConnection created,
            ChannelHandler handler) {
        // In the pipeline before it is published: other threads request its loop.
        channel.pipeline().addLast(handler);
        acceptedConnection.connection = created;
        acceptedConnections.add(acceptedConnection);
        if (!channel.isActive()) {
            acceptedConnections.remove(acceptedConnection);
        } else if (closed) {
            created.close(StreamEnd.CLOSED);
        } else if (draining) {
            created.drain();
        }
    }

    /** Returns what accepts the QUIC connection of a handshake that begins now. */
    private Consumer<QuicChannel> acceptorOfHandshake() {
        int renewalsAtStart = renewals;
        return channel -> accept(channel, renewalsAtStart);
    }

    /** Accepts a QUIC connection whose peer is authenticated. */
    private void accept(QuicChannel channel, int renewalsAtStart) {
        accepted.increment();
        if (draining) {
            // The port stays open for the existing connections only.
            channel.close();
            return;
        }
        SSLEngine engine = channel.sslEngine();
        if (tls != null && (engine == null || !tls.admits(engine.getSession(), channel))) {
            strangers.increment();
            channel.close();
            return;
        }
        Set<String> names = engine == null ? Set.of() : LineTls.names(engine.getSession());
        AcceptedConnection acceptedConnection = new AcceptedConnection(
                new LinePeer((InetSocketAddress) channel.remoteSocketAddress(), names));
        QuicConnection created = new QuicConnection(acceptedConnection, settings, true);
        addConnection(channel, acceptedConnection, created, created);
        if (renewalsAtStart != renewals) {
            created.drain();
        }
    }

    private void countStranger() {
        accepted.increment();
        strangers.increment();
    }

    /** Gate in front of a connection: no message is read before the peer is authenticated. */
    private final class Gate extends ChannelInboundHandlerAdapter {

        private final LineTls lineTls;
        private final int renewalsAtStart = renewals;

        Gate(LineTls lineTls) {
            this.lineTls = lineTls;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                SslHandler handler = ctx.pipeline().get(SslHandler.class);
                if (handshake.isSuccess()
                        && LineTls.speaksHttp2(handler)
                        && lineTls.admits(handler.engine().getSession(), ctx.channel())) {
                    LineConnection accepted = addConnection(
                            ctx.channel(), LineTls.names(handler.engine().getSession()));
                    ctx.pipeline().remove(this);
                    if (renewalsAtStart != renewals) {
                        accepted.drain();
                    }
                } else {
                    strangers.increment();
                    ctx.close();
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Bytes that are not TLS; the handshake event reports and counts them.
            ctx.close();
        }
    }

    /** Owner of one accepted connection. */
    private final class AcceptedConnection implements LineConnection.Owner {

        private final LinePeer peer;
        private @Nullable LineConnection connection;

        AcceptedConnection(LinePeer peer) {
            this.peer = peer;
        }

        @Override
        public StreamListener requested(
                LineConnection source, Http2Headers head, boolean ends, LineStream stream) {
            streams.increment();
            return acceptor.take(head, ends, stream, peer);
        }

        @Override
        public void ready(LineConnection source) {
            // The client opens streams when it needs them.
        }

        @Override
        public void streamClosed(LineConnection source) {
            // The peer counts its own streams.
        }

        @Override
        public void draining(LineConnection source) {
            // A client that has sent GOAWAY sends no more requests.
        }

        @Override
        public void lingerTimedOut(LineConnection source) {
            lingerTimeouts.increment();
        }

        @Override
        public void gone(LineConnection source, String why) {
            acceptedConnections.remove(this);
            closePortsIfLeft();
        }
    }

    /**
     * Returns the figures as of now, collected on the connections' loops. Blocks; must not be
     * called on one of these loops.
     */
    public Figures figures() {
        List<PeerConnection> connections = new ArrayList<>();
        for (AcceptedConnection acceptedConnection : acceptedConnections) {
            LineConnection connection = acceptedConnection.connection;
            if (connection != null) {
                connection
                        .loop()
                        .submit(() -> connections.add(
                                new PeerConnection(acceptedConnection.peer, connection.figures())))
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

    /** Closes the UDP ports after the last connection: all connections share them. */
    private void closePortsIfLeft() {
        if (draining && acceptedConnections.isEmpty()) {
            ports.forEach(Channel::close);
        }
    }

    /**
     * Sends GOAWAY to all peers, so that they connect again and see the current certificate.
     * Requests in progress are not affected. From any thread.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread renews
    public void renew() {
        renewals++;
        for (AcceptedConnection acceptedConnection : acceptedConnections) {
            LineConnection connection = acceptedConnection.connection;
            if (connection != null) {
                connection.loop().execute(connection::drain);
            }
        }
    }

    /**
     * Accepts no new peers, and sends GOAWAY to the others. Requests that they have sent already
     * are still answered.
     */
    public void drain() {
        draining = true;
        listener.close();
        for (AcceptedConnection acceptedConnection : acceptedConnections) {
            LineConnection connection = acceptedConnection.connection;
            if (connection != null) {
                connection.loop().execute(connection::drain);
            }
        }
        closePortsIfLeft();
    }

    /**
     * Closes everything; streams end with {@link StreamEnd.Reason#CLOSED} here and are lost for
     * peers. Returns before that is done.
     */
    @Override
    public void close() {
        closed = true;
        draining = true;
        listener.close();
        for (AcceptedConnection acceptedConnection : acceptedConnections) {
            LineConnection connection = acceptedConnection.connection;
            if (connection != null) {
                connection.loop().execute(() -> connection.close(StreamEnd.CLOSED));
            }
        }
        // After the connections' last frames, on the same loops.
        ports.forEach(port -> port.eventLoop().execute(port::close));
    }
}
