package dev.komainu.organizer.line;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers tunnels (RFC 8441): {@code CONNECT} with {@code :protocol tcp} to a service, or {@code websocket} to a web server. It dials, opens the
 * WebSocket if it is to be one, says 200 and relays; 404 for what nobody serves here, 502 when the service refuses, 504 when it says nothing,
 * and what a web server answers instead of opening. Everything else goes to whom it was given.
 */
public final class TunnelTaker implements StreamTaker {

    /** The {@code :protocol} of plain TCP. */
    public static final String TCP = "tcp";

    private final Function<Http2Headers, @Nullable InetSocketAddress> services;
    private final Duration timeout;
    private final StreamTaker others;

    /**
     * @param services by the head that asks ({@code :protocol}, {@code :authority}, {@code :path}) an address, resolved; null when it is not
     *     served here
     * @param timeout to dial, and to open a WebSocket
     * @param others who answers what is no TCP tunnel
     */
    public TunnelTaker(
            Function<Http2Headers, @Nullable InetSocketAddress> services, Duration timeout, StreamTaker others) {
        this.services = services;
        this.timeout = timeout;
        this.others = others;
    }

    /** The head that asks for a tunnel to a service. */
    public static Http2Headers ask(String service) {
        return new DefaultHttp2Headers()
                .method("CONNECT")
                .scheme("http")
                .authority(service)
                .path("/")
                .set(Http2Headers.PseudoHeaderName.PROTOCOL.value(), TCP);
    }

    @Override
    public StreamEvents take(Http2Headers head, boolean ends, LineStream stream, Peer peer) {
        CharSequence protocol = head.get(Http2Headers.PseudoHeaderName.PROTOCOL.value());
        boolean isTcp = protocol != null && TCP.contentEquals(protocol);
        boolean isWebSocket = protocol != null && WebSocketHandshake.WEBSOCKET.contentEquals(protocol);
        if (!"CONNECT".contentEquals(head.method()) || !isTcp && !isWebSocket) {
            return others.take(head, ends, stream, peer);
        }
        Dialling dialling = new Dialling(stream, isWebSocket ? head : null);
        if (isWebSocket && !(isText(head.authority()) && isText(head.path()))) {
            dialling.refuse(400);
            return dialling;
        }
        InetSocketAddress address = services.apply(head);
        if (address == null) {
            dialling.refuse(404);
        } else {
            dialling.dial(address, ends);
        }
        return dialling;
    }

    /** Whether it stays one word in a request line of HTTP/1.1 (RFC 9112 section 3). */
    private static boolean isText(@Nullable CharSequence value) {
        return value != null && !value.isEmpty() && value.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }

    /** A tunnel until its service has answered; what comes before is kept, within the stream's window. */
    private final class Dialling implements StreamEvents {

        private final LineStream stream;
        private final @Nullable Http2Headers webSocket;
        private final Deque<ByteBuf> early = new ArrayDeque<>(0);
        private @Nullable StreamRelay relay;
        private boolean saidAll;
        private @Nullable Channel opening;
        private boolean answered;
        private boolean over;

        /** @param webSocket the head that asks for one; null: plain TCP */
        Dialling(LineStream stream, @Nullable Http2Headers webSocket) {
            this.stream = stream;
            this.webSocket = webSocket;
        }

        void dial(InetSocketAddress address, boolean ends) {
            saidAll = ends;
            boolean epoll = stream.loop() instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
            new Bootstrap()
                    .group(stream.loop())
                    .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                    .option(ChannelOption.ALLOCATOR, Line.BUFFERS)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .option(ChannelOption.AUTO_READ, false)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(address)
                    .addListener((ChannelFuture dialled) -> dialled(dialled));
        }

        private void dialled(ChannelFuture dialled) {
            if (over) {
                dialled.channel().close();
            } else if (!dialled.isSuccess()) {
                refuse(dialled.cause() instanceof ConnectTimeoutException ? 504 : 502);
            } else if (webSocket == null) {
                begin(dialled.channel(), new DefaultHttp2Headers().status("200"), Unpooled.EMPTY_BUFFER);
            } else {
                open(dialled.channel(), webSocket);
            }
        }

        private void open(Channel channel, Http2Headers asked) {
            opening = channel;
            Future<?> late = stream.loop()
                    .schedule(
                            () -> {
                                refuse(504);
                                channel.close();
                            },
                            timeout.toNanos(),
                            TimeUnit.NANOSECONDS);
            new WebSocketHandshake(asked, new WebSocketHandshake.Outcome() {
                        @Override
                        public void opened(Http2Headers answer, ByteBuf behind) {
                            late.cancel(false);
                            if (over || answered) {
                                behind.release();
                                channel.close();
                            } else {
                                begin(channel, answer, behind);
                            }
                        }

                        @Override
                        public void refused(int status) {
                            late.cancel(false);
                            refuse(status);
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
            relay = made;
            made.relay(stream);
            boolean ended = saidAll;
            while (!early.isEmpty()) {
                ByteBuf next = early.remove();
                made.data(next, ended && early.isEmpty());
                ended &= !early.isEmpty();
            }
            if (ended) {
                made.data(Unpooled.EMPTY_BUFFER, true);
            }
        }

        void refuse(int status) {
            if (over || answered) {
                return;
            }
            answered = true;
            stream.head(new DefaultHttp2Headers().status(Integer.toString(status)), true);
            stream.reset(Http2Error.NO_ERROR);
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            // It began with its head.
        }

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            StreamRelay to = relay;
            if (to != null) {
                to.data(bytes, ends);
            } else if (over) {
                bytes.release();
            } else {
                saidAll |= ends;
                early.add(bytes);
            }
        }

        @Override
        public void trailers(Http2Headers fields) {
            data(Unpooled.EMPTY_BUFFER, true);
        }

        @Override
        public void writable() {
            StreamRelay to = relay;
            if (to != null) {
                to.writable();
            }
        }

        @Override
        public void ended(StreamEnd how) {
            over = true;
            early.forEach(ByteBuf::release);
            early.clear();
            Channel unfinished = opening;
            if (unfinished != null) {
                unfinished.close();
            }
            StreamRelay to = relay;
            if (to != null) {
                to.ended(how);
            }
        }
    }
}
