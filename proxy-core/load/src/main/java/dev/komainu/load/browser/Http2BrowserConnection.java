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

/** A connection with HTTP/2: a stream for each object, as many at once as the server allows. */
// A failed write closes the channel, and channelInactive reports it.
@SuppressWarnings("FutureReturnValueIgnored")
final class Http2BrowserConnection implements BrowserConnection {

    /**
     * The minimum that a server should allow, recommended by RFC 9113 section 6.5.2, until its
     * SETTINGS arrive.
     */
    private static final int DEFAULT_STREAMS = 100;

    /**
     * Browsers have windows of megabytes: with the protocol's 64 KB the network, not the server,
     * would be measured.
     */
    private static final int WINDOW_BYTES = 4 << 20;

    private final Browser browser;
    private final Bootstrap connecting;
    private final ClientProfile profile;
    private @Nullable Channel channel;
    private boolean ready;
    private boolean ended;
    /** True when the server accepts no new streams (GOAWAY). */
    private boolean closing;

    private boolean servedBefore;
    private long maxStreams = DEFAULT_STREAMS;
    private final Map<BrowserRequest, Stream> active = new LinkedHashMap<>();

    Http2BrowserConnection(Browser browser, Bootstrap connecting, ClientProfile profile) {
        this.browser = browser;
        this.connecting = connecting;
        this.profile = profile;
    }

    @Override
    public void open() {
        BrowserConnect.connect(
                connecting, profile, this::addHandlers, this::onConnected, this::end);
    }

    private void addHandlers(ChannelPipeline pipeline) {
        pipeline.addLast(
                Http2FrameCodecBuilder.forClient()
                        .initialSettings(Http2Settings.defaultSettings()
                                .pushEnabled(false)
                                .initialWindowSize(WINDOW_BYTES))
                        .build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                new Connection());
    }

    private void onConnected(Channel established) {
        SslHandler tls = established.pipeline().get(SslHandler.class);
        if (tls != null && !ApplicationProtocolNames.HTTP_2.equals(tls.applicationProtocol())) {
            end(RequestFailure.MALFORMED); // the server did not negotiate HTTP/2
            established.close();
            return;
        }
        channel = established;
        ready = true;
        browser.onConnected();
    }

    @Override
    public boolean isConnecting() {
        return !ready && !ended;
    }

    @Override
    public boolean hasRoom() {
        return ready && !ended && !closing && active.size() < maxStreams;
    }

    @Override
    public void send(BrowserRequest request) {
        Channel established = channel;
        if (established == null) {
            throw new IllegalStateException("sent before the connection was established");
        }
        Stream stream = new Stream(request);
        active.put(request, stream);
        new Http2StreamChannelBootstrap(established).handler(stream).open().addListener(opened -> {
            if (opened.isSuccess()) {
                stream.start((Http2StreamChannel) opened.getNow());
            } else {
                stream.end(RequestFailure.BROKEN);
            }
        });
    }

    private Http2Headers headers(BrowserRequest request) {
        return new DefaultHttp2Headers()
                .method("GET")
                .scheme(profile.tls() == null ? "http" : "https")
                .authority(profile.authority())
                .path(request.path)
                .set("user-agent", "komainu-load");
    }

    @Override
    public void cancel(BrowserRequest request) {
        Stream stream = active.remove(request);
        if (stream != null) {
            stream.reset();
        }
    }

    @Override
    public void close() {
        Channel established = channel;
        if (established != null) {
            established.close();
        }
    }

    private void end(RequestFailure failure) {
        if (ended) {
            return;
        }
        boolean established = ready;
        ended = true;
        ready = false;
        if (!established) {
            browser.onConnectFailure(this, failure);
            return;
        }
        List<BrowserRequest> unanswered = new ArrayList<>();
        List<BrowserRequest> cut = new ArrayList<>();
        active.forEach((request, stream) -> (stream.hasResponse() ? cut : unanswered).add(request));
        active.clear();
        browser.onConnectionClosed(this, unanswered, cut, failure, servedBefore);
    }

    private static boolean isInterim(@Nullable CharSequence status) {
        return status != null && status.length() == 3 && status.charAt(0) == '1';
    }

    /** The handler of frames that belong to no stream. */
    private final class Connection extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2SettingsFrame frame) {
                Long maxConcurrent = frame.settings().maxConcurrentStreams();
                if (maxConcurrent != null) {
                    maxStreams = maxConcurrent;
                    if (hasRoom()) {
                        browser.onRoom();
                    }
                }
            } else if (message instanceof Http2GoAwayFrame) {
                closing = true;
                if (active.isEmpty()) {
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

    /** The stream of one object. */
    private final class Stream extends SimpleChannelInboundHandler<Http2StreamFrame> {

        private final BrowserRequest request;
        private @Nullable Http2StreamChannel stream;
        private @Nullable Http2Headers head;
        private long firstByteNanos;
        private long bytes;

        Stream(BrowserRequest request) {
            this.request = request;
        }

        void start(Http2StreamChannel established) {
            stream = established;
            if (request.finished) {
                established.close();
                return;
            }
            established
                    .writeAndFlush(new DefaultHttp2HeadersFrame(headers(request), true))
                    .addListener(sent -> {
                        if (!sent.isSuccess()) {
                            end(RequestFailure.BROKEN);
                        }
                    });
        }

        boolean hasResponse() {
            return head != null;
        }

        void reset() {
            Http2StreamChannel established = stream;
            if (established != null) {
                established.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
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
                onResponse();
            }
        }

        private void onResponse() {
            Http2Headers responseHead = head;
            if (responseHead == null || responseHead.status() == null) {
                end(RequestFailure.MALFORMED);
                return;
            }
            if (active.remove(request) == null) {
                return;
            }
            servedBefore = true;
            browser.onResponse(
                    request,
                    firstByteNanos,
                    Integer.parseInt(responseHead.status().toString()),
                    bytes,
                    CacheIndicator.of(name -> {
                        CharSequence value = responseHead.get(name);
                        return value == null ? null : value.toString();
                    }));
            resume();
        }

        private void resume() {
            if (closing && active.isEmpty()) {
                close();
            } else if (hasRoom()) {
                browser.onRoom();
            }
        }

        private void end(RequestFailure failure) {
            if (active.remove(request) != null) {
                browser.failed(request, failure);
                resume();
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
