package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.HierarchyCode;
import dev.komainu.intermediary.upstream.ResponseListener;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of the embedding proxy to the member that serves it. The proxy is the client of a
 * {@link ForwardedExchange}.
 */
final class ServerRequest extends MemberRequest implements LineStream {

    private final RequestAcceptor acceptor;
    private StreamListener requestBody = StreamListener.NOBODY;
    /** The answering member; null until one is selected. */
    private @Nullable MemberId member;

    private final SendWindow window = new SendWindow();
    private boolean sending;

    /** Accepts a request of the proxy, as {@link ForwardedExchange#takeForCache} does. */
    @FunctionalInterface
    interface RequestAcceptor {
        StreamListener take(
                Http2Headers head, boolean ends, LineStream client, Consumer<MemberId> chosen);
    }

    ServerRequest(
            EventLoop loop,
            RequestHead scratch,
            ResponseListener listener,
            RequestAcceptor acceptor) {
        super(loop, scratch, listener);
        this.acceptor = acceptor;
    }

    @Override
    public String peerName() {
        MemberId selected = member;
        return selected == null ? "cluster" : selected.text();
    }

    @Override
    public HierarchyCode hierarchyCode() {
        return member == null ? HierarchyCode.DIRECT : HierarchyCode.MEMBER;
    }

    @Override
    void start(Http2Headers head, boolean complete) {
        sending = true;
        requestBody = acceptor.take(head, complete, this, selected -> member = selected);
        sending = false;
    }

    // The proxy's side of the request.

    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        window.took(part.readableBytes());
        requestBody.data(part, last);
        return window.isThere();
    }

    @Override
    public void setReading(boolean on) {
        super.setReading(on);
        if (on && !ended) {
            requestBody.writable();
        }
    }

    @Override
    void delivered(int bytes) {
        // The exchange reads {@link #isWritable} instead.
    }

    @Override
    void completed() {
        requestBody.ended(ExchangeEndings.COMPLETE);
    }

    @Override
    void cancel() {
        requestBody.ended(ExchangeEndings.GONE);
    }

    // Events of the exchange.

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (sending) {
            // The proxy must first return from sending the request.
            loop.execute(() -> head(fields, ends));
            return;
        }
        GatewayError error = GatewayError.in(fields);
        if (error == null) {
            receiveHead(fields, ends);
        } else {
            fail(error.status(), error.text(), "The cluster has no response: " + error.text());
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        receiveData(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        receiveTrailers(fields);
    }

    @Override
    public boolean isWritable() {
        return !ended && !isPaused();
    }

    @Override
    public void consumed(int bytes) {
        if (window.passedOn(bytes) && !ended) {
            listener.writable();
        }
    }

    @Override
    public void reset(Http2Error error) {
        fail(502, "line-lost", "The response broke off in the cluster");
    }
}
