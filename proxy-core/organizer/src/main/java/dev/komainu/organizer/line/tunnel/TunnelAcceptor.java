package dev.komainu.organizer.line.tunnel;

import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.MemberFields;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Acceptor of tunnels (RFC 8441): {@code CONNECT} with {@code :protocol tcp} to a service, or
 * {@code websocket} to a web server. It dials, performs the WebSocket handshake if needed, answers
 * 200 and relays. It answers 404 for a service that this member does not serve, 502 when the
 * service refuses, and 504 when the service does not respond, each with
 * {@link MemberFields#REFUSAL}, so that the requesting member can use another one. A web server's
 * own refusal is passed on without that field. {@link TunnelKinds} adds protocols; all other
 * requests go to another acceptor.
 */
// A failed close or timer changes nothing: the stream's end reports the outcome.
@SuppressWarnings("FutureReturnValueIgnored")
public final class TunnelAcceptor implements StreamAcceptor {

    /** The {@code :protocol} of plain TCP. */
    public static final String TCP = "tcp";

    private final Function<Http2Headers, @Nullable InetSocketAddress> services;
    private final Duration timeout;
    private final Map<String, TunnelKind> kinds;
    private final StreamAcceptor others;

    /**
     * Creates an acceptor.
     *
     * @param services returns the resolved address for a request's head ({@code :protocol},
     *     {@code :authority}, {@code :path}); null when this member does not serve it
     * @param timeout for dialling, and for the WebSocket handshake
     * @param others acceptor of all other requests
     */
    public TunnelAcceptor(
            Function<Http2Headers, @Nullable InetSocketAddress> services,
            Duration timeout,
            StreamAcceptor others) {
        this(services, timeout, Map.of(), others);
    }

    /**
     * Creates an acceptor with further protocols.
     *
     * @param kinds by {@code :protocol}, the protocols beside TCP and WebSocket
     */
    public TunnelAcceptor(
            Function<Http2Headers, @Nullable InetSocketAddress> services,
            Duration timeout,
            Map<String, TunnelKind> kinds,
            StreamAcceptor others) {
        this.services = services;
        this.timeout = timeout;
        this.kinds = kinds;
        this.others = others;
    }

    /** Returns the head of a request for a tunnel to a service. */
    public static Http2Headers ask(String service) {
        return ask(TCP, service);
    }

    /** Returns the head of a request for a tunnel with this protocol. */
    public static Http2Headers ask(String protocol, String service) {
        return new DefaultHttp2Headers()
                .method("CONNECT")
                .scheme("http")
                .authority(service)
                .path("/")
                .set(Http2Headers.PseudoHeaderName.PROTOCOL.value(), protocol);
    }

    /** Returns the bootstrap of a tunnel's connection, which reads only on request. */
    public static Bootstrap dialling(EventLoop loop, Duration timeout) {
        boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        return new Bootstrap()
                .group(loop)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .option(ChannelOption.TCP_NODELAY, true)
                // Detects a peer that is gone: tunnels may be idle for days.
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                .handler(new ChannelInboundHandlerAdapter());
    }

    @Override
    public StreamListener take(Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        CharSequence named = head.get(Http2Headers.PseudoHeaderName.PROTOCOL.value());
        String protocol = named == null ? "" : named.toString();
        TunnelKind kind = kinds.get(protocol);
        boolean isWebSocket = protocol.equals(WebSocketHandshake.WEBSOCKET);
        if (!"CONNECT".contentEquals(head.method())
                || (kind == null && !isWebSocket && !protocol.equals(TCP))) {
            return others.take(head, ends, stream, peer);
        }
        PendingTunnel dialling = new PendingTunnel(stream, head, kind, isWebSocket);
        if (isWebSocket && !(isText(head.authority()) && isText(head.path()))) {
            dialling.refuse(400, "malformed-request");
            return dialling;
        }
        InetSocketAddress address =
                kind == null ? services.apply(head) : kind.where(head, services);
        if (address == null) {
            dialling.refuse(404, "no-route");
        } else {
            dialling.dial(address, ends);
        }
        return dialling;
    }

    /** Returns whether the value is one word of a request line of HTTP/1.1 (RFC 9112 section 3). */
    private static boolean isText(@Nullable CharSequence value) {
        return value != null
                && !value.isEmpty()
                && value.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }

    /**
     * A tunnel until its service has answered. Early bytes are stored, within the stream's window.
     */
    private final class PendingTunnel extends PendingRelay {

        private final LineStream stream;
        private final Http2Headers request;
        private final @Nullable TunnelKind kind;
        private final boolean isWebSocket;
        private @Nullable Channel handshakeChannel;
        private boolean answered;

        /**
         * Creates a tunnel.
         *
         * @param kind null: plain TCP or a WebSocket
         */
        PendingTunnel(
                LineStream stream,
                Http2Headers request,
                @Nullable TunnelKind kind,
                boolean isWebSocket) {
            this.stream = stream;
            this.request = request;
            this.kind = kind;
            this.isWebSocket = isWebSocket;
        }

        void dial(InetSocketAddress address, boolean ends) {
            if (ends) {
                endsAtHead();
            }
            dialling(stream.loop(), timeout)
                    .connect(address)
                    .addListener((ChannelFuture dialled) -> dialled(dialled));
        }

        private void dialled(ChannelFuture dialled) {
            if (isOver()) {
                dialled.channel().close();
            } else if (!dialled.isSuccess()) {
                if (dialled.cause() instanceof ConnectTimeoutException) {
                    refuse(504, "connect-timeout");
                } else {
                    refuse(502, "server-refused");
                }
            } else if (isWebSocket) {
                openWebSocket(dialled.channel());
            } else {
                Http2Headers response = new DefaultHttp2Headers().status("200");
                if (kind != null) {
                    kind.dialled(request, dialled.channel(), response);
                }
                startRelay(dialled.channel(), response, Unpooled.EMPTY_BUFFER);
            }
        }

        private void openWebSocket(Channel channel) {
            handshakeChannel = channel;
            Future<?> timer = stream.loop()
                    .schedule(
                            () -> {
                                refuse(504, "server-silent");
                                channel.close();
                            },
                            timeout.toNanos(),
                            TimeUnit.NANOSECONDS);
            new WebSocketHandshake(request, new WebSocketHandshake.Outcome() {
                        @Override
                        public void opened(Http2Headers response, ByteBuf firstBytes) {
                            timer.cancel(false);
                            if (isOver() || answered) {
                                firstBytes.release();
                                channel.close();
                            } else {
                                startRelay(channel, response, firstBytes);
                            }
                        }

                        @Override
                        public void refused(int status, @Nullable String why) {
                            timer.cancel(false);
                            refuse(status, why);
                            channel.close();
                        }
                    })
                    .begin(channel);
        }

        private void startRelay(Channel channel, Http2Headers response, ByteBuf firstBytes) {
            answered = true;
            handshakeChannel = null;
            stream.head(response, false);
            if (firstBytes.isReadable()) {
                stream.data(firstBytes, false);
            } else {
                firstBytes.release();
            }
            StreamRelay relay = StreamRelay.answering(channel);
            follow(relay);
            relay.relay(stream);
            handOver();
        }

        /**
         * Answers with a refusal.
         *
         * @param why absent: the status is the web server's own
         */
        void refuse(int status, @Nullable String why) {
            if (isOver() || answered) {
                return;
            }
            answered = true;
            Http2Headers response = new DefaultHttp2Headers().status(Integer.toString(status));
            if (why != null) {
                response.set(MemberFields.REFUSAL, why);
            }
            stream.head(response, true);
            stream.reset(Http2Error.NO_ERROR);
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            // The head of the request came first.
        }

        @Override
        public void ended(StreamEnd how) {
            super.ended(how);
            Channel unopened = handshakeChannel;
            if (unopened != null) {
                unopened.close();
            }
        }
    }
}
