package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.ResponseListener;
import dev.komainu.intermediary.upstream.UpstreamExchange;
import dev.komainu.organizer.line.LineBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A request of the embedding proxy that is sent over the cluster. Heads are converted; bodies are
 * passed on unchanged. Bytes that the proxy does not accept yet are kept here and not reported as
 * consumed, so the flow control of the line limits them. Used on its loop.
 */
abstract class MemberRequest implements UpstreamExchange {

    final EventLoop loop;
    private final RequestHead scratch;
    final ResponseListener listener;
    boolean responseStarted;
    boolean ended;
    private final Deque<ByteBuf> pending = new ArrayDeque<>(0);
    private @Nullable Fields trailers;
    private boolean responseDone;
    private boolean paused;
    private boolean delivering;

    /**
     * Creates a request that is not sent yet.
     *
     * @param scratch request head of the loop, reused for parsing
     */
    MemberRequest(EventLoop loop, RequestHead scratch, ResponseListener listener) {
        this.loop = loop;
        this.scratch = scratch;
        this.listener = listener;
    }

    /**
     * Sends the head.
     *
     * @param complete whether there is no body
     */
    abstract void start(Http2Headers head, boolean complete);

    /** Called after bytes were delivered to the proxy. */
    abstract void delivered(int bytes);

    /** Called after the complete response was delivered. */
    abstract void completed();

    /** Cancels the stream: the rest of the response is not needed. */
    abstract void cancel();

    @Override
    public @Nullable InetSocketAddress address() {
        return null;
    }

    @Override
    public boolean endsBodies() {
        return true;
    }

    @Override
    public void send(ByteBuf request, boolean isHead, boolean complete) {
        RequestHead head = scratch;
        head.setReceivedOver(false, false);
        boolean read = head.read(request) == RequestHead.Outcome.COMPLETE;
        request.release();
        if (read) {
            start(HeadConversion.of(head), complete);
        } else {
            loop.execute(() ->
                    fail(400, "malformed-request", "The request cannot be sent over the line"));
        }
    }

    /** Receives an interim or final response head. */
    final void receiveHead(Http2Headers fields, boolean ends) {
        if (ended) {
            return;
        }
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(1024);
        try {
            HeadConversion.response(text, fields, 1);
            text.writeShort(HeadConversion.CRLF);
            ResponseHead head = new ResponseHead();
            if (head.read(text) != RequestHead.Outcome.COMPLETE) {
                fail(502, "malformed-answer", "The member's response is malformed");
                cancel();
            } else if (head.status() < 200) {
                listener.informational(head);
            } else {
                responseStarted = true;
                responseDone = ends;
                listener.head(head);
                deliver();
            }
        } finally {
            text.release();
        }
    }

    /** Receives body bytes and takes ownership of them. */
    final void receiveData(ByteBuf bytes, boolean ends) {
        if (ended) {
            bytes.release();
            return;
        }
        responseDone |= ends;
        pending.add(bytes);
        deliver();
    }

    final void receiveTrailers(Http2Headers fields) {
        if (!ended) {
            trailers = trailers(fields);
            responseDone = true;
            deliver();
        }
    }

    /** Parses trailers as those of a chunked body; malformed trailers are dropped. */
    private static @Nullable Fields trailers(Http2Headers fields) {
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(256);
        try {
            ByteBufUtil.writeAscii(text, "0\r\n");
            HeadConversion.fields(text, fields);
            text.writeShort(HeadConversion.CRLF);
            BodyReader reader = new BodyReader();
            reader.beginChunked();
            return reader.read(text, none -> {}) == BodyReader.Outcome.DONE
                    ? reader.trailers()
                    : null;
        } finally {
            text.release();
        }
    }

    private void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        while (!paused && !ended && !pending.isEmpty()) {
            ByteBuf next = pending.remove();
            int count = next.readableBytes();
            if (count > 0) {
                listener.body(next);
            }
            next.release();
            delivered(count);
        }
        delivering = false;
        if (!ended && !paused && responseDone && pending.isEmpty()) {
            ended = true;
            Fields received = trailers;
            if (received != null) {
                listener.trailers(received);
            }
            listener.end();
            completed();
        }
    }

    /** Reports a failure: no complete response will follow. */
    final void fail(int status, String code, String message) {
        if (!ended) {
            close();
            listener.failed(new OriginFailure(status, code, message, !responseStarted));
        }
    }

    private void close() {
        ended = true;
        pending.forEach(ByteBuf::release);
        pending.clear();
    }

    /** Reports whether the proxy accepts no bytes at present. */
    final boolean isPaused() {
        return paused;
    }

    @Override
    public void setReading(boolean on) {
        paused = !on;
        deliver();
    }

    @Override
    public void abort() {
        if (!ended) {
            close();
            cancel();
        }
    }

    @Override
    public void discardRest() {
        abort();
    }
}
