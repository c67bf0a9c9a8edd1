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
 * One request of the proxy to whoever serves it, by a {@link ForwardedExchange} of which the proxy
 * is the client.
 */
final class ServerRequest extends MemberRequest implements LineStream {

    private final Taker taker;
    private StreamListener said = StreamListener.NOBODY;
    /** Absent until somebody answers. */
    private @Nullable MemberId member;

    private final SendWindow room = new SendWindow();
    private boolean asking;

    /** Takes what the proxy asks, as {@link ForwardedExchange#takeForCache} does. */
    @FunctionalInterface
    interface Taker {
        StreamListener take(
                Http2Headers head, boolean ends, LineStream client, Consumer<MemberId> chosen);
    }

    ServerRequest(EventLoop loop, RequestHead scratch, ResponseListener hears, Taker taker) {
        super(loop, scratch, hears);
        this.taker = taker;
    }

    @Override
    public String peerName() {
        MemberId answers = member;
        return answers == null ? "cluster" : answers.text();
    }

    @Override
    public HierarchyCode hierarchyCode() {
        return member == null ? HierarchyCode.DIRECT : HierarchyCode.MEMBER;
    }

    @Override
    void ask(Http2Headers head, boolean complete) {
        asking = true;
        said = taker.take(head, complete, this, answers -> member = answers);
        asking = false;
    }

    // What the proxy says of the request.

    @Override
    public boolean sendBody(ByteBuf part, boolean last) {
        room.took(part.readableBytes());
        said.data(part, last);
        return room.isThere();
    }

    @Override
    public void setReading(boolean on) {
        super.setReading(on);
        if (on && !over) {
            said.writable();
        }
    }

    @Override
    void took(int bytes) {
        // The passage sees whether there is room.
    }

    @Override
    void done() {
        said.ended(ExchangeEndings.COMPLETE);
    }

    @Override
    void giveUp() {
        said.ended(ExchangeEndings.GONE);
    }

    // What the passage says.

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (asking) {
            // Whoever asks must have been told first that he does.
            loop.execute(() -> head(fields, ends));
            return;
        }
        GatewayError why = GatewayError.in(fields);
        if (why == null) {
            heard(fields, ends);
        } else {
            fail(why.status(), why.text(), "The cluster has no answer: " + why.text());
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        heard(bytes, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        heardBehind(fields);
    }

    @Override
    public boolean isWritable() {
        return !over && !isPaused();
    }

    @Override
    public void consumed(int bytes) {
        if (room.passedOn(bytes) && !over) {
            hears.writable();
        }
    }

    @Override
    public void reset(Http2Error why) {
        fail(502, "line-lost", "The answer broke off on its way through the cluster");
    }
}
