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
 * Answers tunnels (RFC 8441): {@code CONNECT} with {@code :protocol tcp} to a service, or
 * {@code websocket} to a web server. It dials, opens the WebSocket if it is to be one, says 200 and
 * relays; 404 for what nobody serves here, 502 when the service refuses, 504 when it says nothing,
 * each with {@link MemberFields#REFUSAL}, so that whoever asked may ask another member; and what a
 * web server answers instead of opening, without it. What else is dialled says {@link TunnelKinds};
 * everything else goes to whom it was given.
 */
public final class TunnelAcceptor implements StreamAcceptor {

    /** The {@code :protocol} of plain TCP. */
    public static final String TCP = "tcp";

    private final Function<Http2Headers, @Nullable InetSocketAddress> services;
    private final Duration timeout;
    private final Map<String, TunnelKind> kinds;
    private final StreamAcceptor others;

    /**
     * @param services by the head that asks ({@code :protocol}, {@code :authority}, {@code :path})
     *     an address, resolved; null when it is not served here
     * @param timeout to dial, and to open a WebSocket
     * @param others who answers what is no tunnel of these
     */
    public TunnelAcceptor(
            Function<Http2Headers, @Nullable InetSocketAddress> services,
            Duration timeout,
            StreamAcceptor others) {
        this(services, timeout, Map.of(), others);
    }

    /** @param kinds by {@code :protocol}, what is dialled beside TCP and WebSocket */
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

    /** The head that asks for a tunnel to a service. */
    public static Http2Headers ask(String service) {
        return ask(TCP, service);
    }

    /** The head that asks for a tunnel of a kind. */
    public static Http2Headers ask(String protocol, String service) {
        return new DefaultHttp2Headers()
                .method("CONNECT")
                .scheme("http")
                .authority(service)
                .path("/")
                .set(Http2Headers.PseudoHeaderName.PROTOCOL.value(), protocol);
    }

    /** Dials for a tunnel: nothing is read before somebody asks. */
    public static Bootstrap dialling(EventLoop loop, Duration timeout) {
        boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        return new Bootstrap()
                .group(loop)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .option(ChannelOption.TCP_NODELAY, true)
                // Who vanished without a word must not be kept for ever: tunnels may rest for days.
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
                || kind == null && !isWebSocket && !protocol.equals(TCP)) {
            return others.take(head, ends, stream, peer);
        }
        Dialling dialling = new Dialling(stream, head, kind, isWebSocket);
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

    /** Whether it stays one word in a request line of HTTP/1.1 (RFC 9112 section 3). */
    private static boolean isText(@Nullable CharSequence value) {
        return value != null
                && !value.isEmpty()
                && value.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }

    /**
     * A tunnel until its service has answered; what comes before is kept, within the stream's
     * window.
     */
    private final class Dialling extends PendingRelay {

        private final LineStream stream;
        private final Http2Headers asked;
        private final @Nullable TunnelKind kind;
        private final boolean isWebSocket;
        private @Nullable Channel opening;
        private boolean answered;

        /** @param kind null: plain TCP or a WebSocket */
        Dialling(
                LineStream stream,
                Http2Headers asked,
                @Nullable TunnelKind kind,
                boolean isWebSocket) {
            this.stream = stream;
            this.asked = asked;
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
                open(dialled.channel());
            } else {
                Http2Headers answer = new DefaultHttp2Headers().status("200");
                if (kind != null) {
                    kind.dialled(asked, dialled.channel(), answer);
                }
                begin(dialled.channel(), answer, Unpooled.EMPTY_BUFFER);
            }
        }

        private void open(Channel channel) {
            opening = channel;
            Future<?> late = stream.loop()
                    .schedule(
                            () -> {
                                refuse(504, "server-silent");
                                channel.close();
                            },
                            timeout.toNanos(),
                            TimeUnit.NANOSECONDS);
            new WebSocketHandshake(asked, new WebSocketHandshake.Outcome() {
                        @Override
                        public void opened(Http2Headers answer, ByteBuf behind) {
                            late.cancel(false);
                            if (isOver() || answered) {
                                behind.release();
                                channel.close();
                            } else {
                                begin(channel, answer, behind);
                            }
                        }

                        @Override
                        public void refused(int status, @Nullable String why) {
                            late.cancel(false);
                            refuse(status, why);
                            channel.close();
                        }
                    })
                    .begin(channel);
        }

        private void begin(Channel channel, Http2Headers answer, ByteBuf behind) {
            answered = true;
            opening = null;
            stream.head(answer, false);
            if (behind.isReadable()) {
                stream.data(behind, false);
            } else {
                behind.release();
            }
            StreamRelay made = StreamRelay.answering(channel);
            follow(made);
            made.relay(stream);
            handOver();
        }

        /** @param why absent: so says the web server itself */
        void refuse(int status, @Nullable String why) {
            if (isOver() || answered) {
                return;
            }
            answered = true;
            Http2Headers answer = new DefaultHttp2Headers().status(Integer.toString(status));
            if (why != null) {
                answer.set(MemberFields.REFUSAL, why);
            }
            stream.head(answer, true);
            stream.reset(Http2Error.NO_ERROR);
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            // It began with its head.
        }

        @Override
        public void ended(StreamEnd how) {
            super.ended(how);
            Channel unfinished = opening;
            if (unfinished != null) {
                unfinished.close();
            }
        }
    }
}
