package dev.komainu.load.browser;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection with HTTP/1.0, for one object, or with HTTP/1.1, for one object after another. */
// A failed write closes the channel, and channelInactive reports it.
@SuppressWarnings("FutureReturnValueIgnored")
final class Http1BrowserConnection extends SimpleChannelInboundHandler<HttpObject>
        implements BrowserConnection {

    private final Browser browser;
    private final Bootstrap connecting;
    private final ClientProfile profile;
    private @Nullable Channel channel;
    private boolean isReady;
    private boolean ended;
    private @Nullable BrowserRequest current;
    private boolean servedBefore;
    /** True when the connection was opened in advance: the server may close it at any moment. */
    private boolean openedInAdvance;
    // The response being received.
    private @Nullable HttpResponse head;
    private long firstByteNanos;
    private long bytes;

    Http1BrowserConnection(Browser browser, Bootstrap connecting, ClientProfile profile) {
        this.browser = browser;
        this.connecting = connecting;
        this.profile = profile;
    }

    @Override
    public void open() {
        BrowserConnect.connect(
                connecting,
                profile,
                pipeline -> pipeline.addLast(new HttpClientCodec(), this),
                this::onConnected,
                this::end);
    }

    private void onConnected(Channel established) {
        channel = established;
        isReady = true;
        browser.onConnected();
        openedInAdvance = current == null;
    }

    @Override
    public boolean isConnecting() {
        return !isReady && !ended && !servedBefore;
    }

    @Override
    public boolean hasRoom() {
        return isReady
                && !ended
                && current == null
                && !(servedBefore && profile.version() == BrowserProtocol.HTTP_1_0);
    }

    @Override
    public void send(BrowserRequest request) {
        current = request;
        head = null;
        bytes = 0;
        boolean once = profile.version() == BrowserProtocol.HTTP_1_0;
        var httpRequest = new DefaultFullHttpRequest(
                once ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1, HttpMethod.GET, request.path);
        httpRequest
                .headers()
                .set(HttpHeaderNames.HOST, profile.authority())
                .set(HttpHeaderNames.USER_AGENT, "komainu-load");
        channel().writeAndFlush(httpRequest);
    }

    private Channel channel() {
        Channel established = channel;
        if (established == null) {
            throw new IllegalStateException("sent before the connection was established");
        }
        return established;
    }

    @Override
    public void cancel(BrowserRequest request) {
        if (request == current) {
            current = null;
            close();
        }
    }

    @Override
    public void close() {
        Channel established = channel;
        if (established != null) {
            established.close();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (message.decoderResult().isFailure()) {
            end(RequestFailure.MALFORMED);
            ctx.close();
            return;
        }
        if (message instanceof HttpResponse response && response.status().code() >= 200) {
            head = response;
            firstByteNanos = System.nanoTime();
        }
        HttpResponse responseHead = head;
        if (responseHead == null) {
            return; // part of an interim response
        }
        if (message instanceof HttpContent content) {
            bytes += content.content().readableBytes();
        }
        if (message instanceof LastHttpContent) {
            onResponse(ctx, responseHead);
        }
    }

    private void onResponse(ChannelHandlerContext ctx, HttpResponse responseHead) {
        BrowserRequest request = current;
        current = null;
        head = null;
        servedBefore = true;
        boolean keepAlive =
                profile.version() == BrowserProtocol.HTTP_1_1 && HttpUtil.isKeepAlive(responseHead);
        if (!keepAlive) {
            isReady = false;
        }
        if (request != null) {
            browser.onResponse(
                    request,
                    firstByteNanos,
                    responseHead.status().code(),
                    bytes,
                    CacheIndicator.of(name -> responseHead.headers().get(name)));
        }
        if (!keepAlive) {
            ctx.close();
        } else if (hasRoom()) {
            browser.onRoom();
        }
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

    private void end(RequestFailure failure) {
        if (ended) {
            return;
        }
        boolean established = isReady || servedBefore || current != null;
        ended = true;
        isReady = false;
        if (!established) {
            browser.onConnectFailure(this, failure);
            return;
        }
        BrowserRequest request = current;
        current = null;
        List<BrowserRequest> requests = request == null ? List.of() : List.of(request);
        boolean responseStarted = head != null;
        browser.onConnectionClosed(
                this,
                responseStarted ? List.of() : requests,
                responseStarted ? requests : List.of(),
                failure,
                servedBefore || openedInAdvance);
    }
}
