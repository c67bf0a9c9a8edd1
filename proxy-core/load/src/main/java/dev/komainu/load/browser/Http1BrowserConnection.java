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

/** A connection in HTTP/1.0, for one object, or in HTTP/1.1, for one after another. */
final class Http1BrowserConnection extends SimpleChannelInboundHandler<HttpObject>
        implements BrowserConnection {

    private final Browser browser;
    private final Bootstrap connecting;
    private final ClientProfile manner;
    private @Nullable Channel channel;
    private boolean ready;
    private boolean ended;
    private @Nullable BrowserRequest current;
    private boolean servedBefore;
    /** Nothing was asked on it for a while: whoever is there may close it at that moment. */
    private boolean rested;
    // Of the answer that is coming.
    private @Nullable HttpResponse head;
    private long firstByteNanos;
    private long bytes;

    Http1BrowserConnection(Browser browser, Bootstrap connecting, ClientProfile manner) {
        this.browser = browser;
        this.connecting = connecting;
        this.manner = manner;
    }

    @Override
    public void open() {
        BrowserConnect.connect(
                connecting,
                manner,
                pipeline -> pipeline.addLast(new HttpClientCodec(), this),
                this::connected,
                this::end);
    }

    private void connected(Channel made) {
        channel = made;
        ready = true;
        browser.connected();
        rested = current == null;
    }

    @Override
    public boolean isConnecting() {
        return !ready && !ended && !servedBefore;
    }

    @Override
    public boolean hasRoom() {
        return ready
                && !ended
                && current == null
                && !(servedBefore && manner.version() == BrowserProtocol.HTTP_1_0);
    }

    @Override
    public void ask(BrowserRequest ask) {
        current = ask;
        head = null;
        bytes = 0;
        boolean once = manner.version() == BrowserProtocol.HTTP_1_0;
        var request = new DefaultFullHttpRequest(
                once ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1, HttpMethod.GET, ask.path);
        request.headers()
                .set(HttpHeaderNames.HOST, manner.authority())
                .set(HttpHeaderNames.USER_AGENT, "komainu-load");
        channel().writeAndFlush(request);
    }

    private Channel channel() {
        Channel made = channel;
        if (made == null) {
            throw new IllegalStateException("asked before it was connected");
        }
        return made;
    }

    @Override
    public void giveUp(BrowserRequest ask) {
        if (ask == current) {
            current = null;
            close();
        }
    }

    @Override
    public void close() {
        Channel made = channel;
        if (made != null) {
            made.close();
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
        HttpResponse answer = head;
        if (answer == null) {
            return; // of an interim answer
        }
        if (message instanceof HttpContent content) {
            bytes += content.content().readableBytes();
        }
        if (message instanceof LastHttpContent) {
            answered(ctx, answer);
        }
    }

    private void answered(ChannelHandlerContext ctx, HttpResponse answer) {
        BrowserRequest ask = current;
        current = null;
        head = null;
        servedBefore = true;
        boolean goesOn =
                manner.version() == BrowserProtocol.HTTP_1_1 && HttpUtil.isKeepAlive(answer);
        if (!goesOn) {
            ready = false;
        }
        if (ask != null) {
            browser.answered(
                    ask,
                    firstByteNanos,
                    answer.status().code(),
                    bytes,
                    CacheIndicator.of(name -> answer.headers().get(name)));
        }
        if (!goesOn) {
            ctx.close();
        } else if (hasRoom()) {
            browser.ready();
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

    private void end(RequestFailure why) {
        if (ended) {
            return;
        }
        boolean made = ready || servedBefore || current != null;
        ended = true;
        ready = false;
        if (!made) {
            browser.notMade(this, why);
            return;
        }
        BrowserRequest ask = current;
        current = null;
        List<BrowserRequest> one = ask == null ? List.of() : List.of(ask);
        boolean begun = head != null;
        browser.gone(
                this,
                begun ? List.of() : one,
                begun ? one : List.of(),
                why,
                servedBefore || rested);
    }
}
