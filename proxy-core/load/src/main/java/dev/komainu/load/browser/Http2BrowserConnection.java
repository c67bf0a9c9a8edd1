package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection in HTTP/2: a stream for each object, as many at once as the server allows. */
final class Http2BrowserConnection implements BrowserConnection {

    /**
     * What a server must allow at least, by RFC 9113 section 6.5.2's advice, until it says
     * otherwise.
     */
    private static final int USUAL_STREAMS = 100;

    /**
     * Browsers' windows are of megabytes: with the protocol's 64 KB the line, not the server, would
     * be measured.
     */
    private static final int WINDOW_BYTES = 4 << 20;

    private final Browser browser;
    private final Bootstrap connecting;
    private final ClientProfile manner;
    private @Nullable Channel channel;
    private boolean ready;
    private boolean ended;
    /** The server takes no new streams any more (GOAWAY). */
    private boolean closing;

    private boolean servedBefore;
    private long streams = USUAL_STREAMS;
    private final Map<BrowserRequest, Stream> carried = new LinkedHashMap<>();

    Http2BrowserConnection(Browser browser, Bootstrap connecting, ClientProfile manner) {
        this.browser = browser;
        this.connecting = connecting;
        this.manner = manner;
    }

    @Override
    public void open() {
        BrowserConnect.connect(connecting, manner, this::speaks, this::connected, this::end);
    }

    private void speaks(ChannelPipeline pipeline) {
        pipeline.addLast(
                Http2FrameCodecBuilder.forClient()
                        .initialSettings(Http2Settings.defaultSettings()
                                .pushEnabled(false)
                                .initialWindowSize(WINDOW_BYTES))
                        .build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                new Connection());
    }

    private void connected(Channel made) {
        SslHandler tls = made.pipeline().get(SslHandler.class);
        if (tls != null && !ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol())) {
            end(RequestFailure.MALFORMED); // it does not speak the version asked for
            made.close();
            return;
        }
        channel = made;
        ready = true;
        browser.connected();
    }

    @Override
    public boolean isConnecting() {
        return !ready && !ended;
    }

    @Override
    public boolean hasRoom() {
        return ready && !ended && !closing && carried.size() < streams;
    }

    @Override
    public void ask(BrowserRequest ask) {
        Channel made = channel;
        if (made == null) {
            throw new IllegalStateException("asked before it was connected");
        }
        Stream stream = new Stream(ask);
        carried.put(ask, stream);
        new Http2StreamChannelBootstrap(made).handler(stream).open().addListener(opening -> {
            if (opening.isSuccess()) {
                stream.begin((Http2StreamChannel) opening.getNow());
            } else {
                stream.end(RequestFailure.BROKEN);
            }
        });
    }

    private Http2Headers request(BrowserRequest ask) {
        return new DefaultHttp2Headers()
                .method("GET")
                .scheme(manner.tls() == null ? "http" : "https")
                .authority(manner.authority())
                .path(ask.path)
                .set("user-agent", "komainu-load");
    }

    @Override
    public void giveUp(BrowserRequest ask) {
        Stream stream = carried.remove(ask);
        if (stream != null) {
            stream.reset();
        }
    }

    @Override
    public void close() {
        Channel made = channel;
        if (made != null) {
            made.close();
        }
    }

    private void end(RequestFailure why) {
        if (ended) {
            return;
        }
        boolean made = ready;
        ended = true;
        ready = false;
        if (!made) {
            browser.notMade(this, why);
            return;
        }
        List<BrowserRequest> untouched = new ArrayList<>();
        List<BrowserRequest> cut = new ArrayList<>();
        carried.forEach((ask, stream) -> (stream.hasBegun() ? cut : untouched).add(ask));
        carried.clear();
        browser.gone(this, untouched, cut, why, servedBefore);
    }

    private static boolean isInterim(@Nullable CharSequence status) {
        return status != null && status.length() == 3 && status.charAt(0) == '1';
    }

    /** What belongs to no stream. */
    private final class Connection extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2SettingsFrame frame) {
                Long most = frame.settings().maxConcurrentStreams();
                if (most != null) {
                    streams = most;
                    if (hasRoom()) {
                        browser.ready();
                    }
                }
            } else if (message instanceof Http2GoAwayFrame) {
                closing = true;
                if (carried.isEmpty()) {
                    ctx.close();
                }
            }
            ReferenceCountUtil.release(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end(RequestFailure.BROKEN);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end(cause instanceof IOException ? RequestFailure.BROKEN : RequestFailure.MALFORMED);
            ctx.close();
        }
    }

    /** One object's stream. */
    private final class Stream extends SimpleChannelInboundHandler<Http2StreamFrame> {

        private final BrowserRequest ask;
        private @Nullable Http2StreamChannel stream;
        private @Nullable Http2Headers head;
        private long firstByteNanos;
        private long bytes;

        Stream(BrowserRequest ask) {
            this.ask = ask;
        }

        void begin(Http2StreamChannel made) {
            stream = made;
            if (ask.over) {
                made.close();
                return;
            }
            made.writeAndFlush(new DefaultHttp2HeadersFrame(request(ask), true))
                    .addListener(sent -> {
                        if (!sent.isSuccess()) {
                            end(RequestFailure.BROKEN);
                        }
                    });
        }

        boolean hasBegun() {
            return head != null;
        }

        void reset() {
            Http2StreamChannel made = stream;
            if (made != null) {
                made.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Http2StreamFrame frame) {
            boolean last = false;
            if (frame instanceof Http2HeadersFrame headers) {
                if (head == null && !isInterim(headers.headers().status())) {
                    head = headers.headers();
                    firstByteNanos = System.nanoTime();
                }
                last = headers.isEndStream();
            } else if (frame instanceof Http2DataFrame data) {
                bytes += data.content().readableBytes();
                last = data.isEndStream();
            } else if (frame instanceof Http2ResetFrame) {
                end(RequestFailure.BROKEN);
            }
            if (last) {
                answered();
            }
        }

        private void answered() {
            Http2Headers answer = head;
            if (answer == null || answer.status() == null) {
                end(RequestFailure.MALFORMED);
                return;
            }
            if (carried.remove(ask) == null) {
                return;
            }
            servedBefore = true;
            browser.answered(
                    ask,
                    firstByteNanos,
                    Integer.parseInt(answer.status().toString()),
                    bytes,
                    CacheIndicator.of(name -> {
                        CharSequence value = answer.get(name);
                        return value == null ? null : value.toString();
                    }));
            goOn();
        }

        private void goOn() {
            if (closing && carried.isEmpty()) {
                close();
            } else if (hasRoom()) {
                browser.ready();
            }
        }

        private void end(RequestFailure why) {
            if (carried.remove(ask) != null) {
                browser.failed(ask, why);
                goOn();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!ended && ready) {
                end(RequestFailure.BROKEN);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end(RequestFailure.BROKEN);
            ctx.close();
        }
    }
}
