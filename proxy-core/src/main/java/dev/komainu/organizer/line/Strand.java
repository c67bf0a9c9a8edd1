package dev.komainu.organizer.line;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One of a line's connections, made again whenever it is gone. On the line's event loop. */
final class Strand implements LineConnection.Owner {

    private static final int MOST_DOUBLINGS = 3;

    private final Line line;
    private @Nullable LineConnection connection;
    private boolean isUp;
    private int failures;

    Strand(Line line) {
        this.line = line;
    }

    void dial() {
        if (line.isClosed()) {
            return;
        }
        LineTls tls = line.tls();
        line.connecting(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (tls != null) {
                            channel.pipeline()
                                    .addLast(tls.forClient(channel.alloc(), line.to(), line.settings()), new Secured());
                        }
                    }
                })
                .connect()
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        failed(String.valueOf(connected.cause().getMessage()));
                    } else if (line.isClosed()) {
                        connected.channel().close();
                    } else {
                        TcpFigures.tune(connected.channel(), line.settings());
                        if (tls == null) {
                            speak(connected.channel());
                        }
                    }
                });
    }

    private void speak(Channel channel) {
        LineConnection made = LineConnection.make(false, line.settings(), this);
        connection = made;
        channel.pipeline().addLast(made);
    }

    /** Nobody speaks before both sides have shown who they are. */
    private final class Secured extends ChannelInboundHandlerAdapter {

        private String why = "closed during the TLS handshake";
        private boolean through;

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                if (!done.isSuccess()) {
                    why = "TLS: " + done.cause().getMessage();
                    ctx.close();
                } else if (!LineTls.speaksHttp2(ctx.pipeline().get(SslHandler.class))) {
                    why = "TLS: the peer does not speak HTTP/2 (expected: h2 by ALPN)";
                    ctx.close();
                } else {
                    through = true;
                    speak(ctx.channel());
                    ctx.pipeline().remove(this);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!through) {
                through = true;
                failed(why);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            why = "TLS: " + cause.getMessage();
            ctx.close();
        }
    }

    private void failed(String why) {
        line.notMade(why);
        later();
    }

    private void later() {
        if (line.isClosed()) {
            return;
        }
        long most = line.settings().backOff().toNanos() << Math.min(failures++, MOST_DOUBLINGS);
        // Some earlier than others: all lines to a peer that comes back must not knock at once.
        long nanos = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
        line.loop().schedule(this::dial, nanos, TimeUnit.NANOSECONDS);
    }

    boolean isUp() {
        return isUp;
    }

    boolean hasRoom(int spare) {
        LineConnection over = connection;
        return isUp && over != null && over.hasRoom(spare);
    }

    int streams() {
        LineConnection over = connection;
        return over == null ? 0 : over.streams();
    }

    /** @return false: it could not, and will not */
    boolean carry(LineRequest request) {
        LineConnection over = connection;
        if (over == null) {
            return false;
        }
        WireStream made = over.open(request.head(), request.endsAtHead(), request.answer());
        if (made == null) {
            draining(over);
            over.drain();
            return false;
        }
        request.placed(made);
        return true;
    }

    @Nullable
    ConnectionFigures figures() {
        LineConnection over = connection;
        return over == null ? null : over.figures();
    }

    void close() {
        LineConnection over = connection;
        if (over != null) {
            over.close(StreamEnd.CLOSED);
        }
    }

    // What its connection tells.

    @Override
    public void ready(LineConnection told) {
        if (told == connection) {
            isUp = true;
            failures = 0;
            line.made();
        }
    }

    @Override
    public void streamClosed(LineConnection told) {
        if (told == connection) {
            line.serveWaiting();
        }
    }

    /** Its streams go on; new ones get a new connection. */
    @Override
    public void draining(LineConnection told) {
        if (told == connection) {
            connection = null;
            boolean was = isUp;
            isUp = false;
            line.lost("the peer drains the connection");
            if (was) {
                line.loop().execute(this::dial);
            } else {
                later();
            }
        }
    }

    @Override
    public void gone(LineConnection told, String why) {
        if (told != connection) {
            return; // one that was draining
        }
        connection = null;
        if (isUp) {
            isUp = false;
            line.lost(why);
        } else {
            line.notMade(why);
        }
        later();
    }

    @Override
    public StreamEvents asked(LineConnection by, Http2Headers head, boolean ends, WireStream stream) {
        // The end that was dialled asks over a line of its own.
        stream.reset(Http2Error.REFUSED_STREAM);
        throw new IllegalStateException("A client is not asked");
    }
}
