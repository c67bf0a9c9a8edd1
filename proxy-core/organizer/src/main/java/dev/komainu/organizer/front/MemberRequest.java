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
 * A request of the proxy in this process on its way over the cluster, and its answer on the way
 * back. Heads change their form, bodies are the same bytes. What its client does not take yet waits
 * here, and is not said to be consumed: the line bounds it. On its loop.
 */
abstract class MemberRequest implements UpstreamExchange {

    final EventLoop loop;
    private final RequestHead scratch;
    final ResponseListener hears;
    boolean answered;
    boolean over;
    private final Deque<ByteBuf> held = new ArrayDeque<>(0);
    private @Nullable Fields trailers;
    private boolean heardAll;
    private boolean paused;
    private boolean moving;

    /** @param scratch the loop's, to read a request with */
    MemberRequest(EventLoop loop, RequestHead scratch, ResponseListener hears) {
        this.loop = loop;
        this.scratch = scratch;
        this.hears = hears;
    }

    /** Asks. @param complete there is no body */
    abstract void ask(Http2Headers head, boolean complete);

    /** Bytes went on. */
    abstract void took(int bytes);

    /** The answer was said to its end, and heard. */
    abstract void done();

    /** Nobody hears the rest. */
    abstract void giveUp();

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
            ask(HeadConversion.of(head), complete);
        } else {
            loop.execute(() ->
                    fail(400, "malformed-request", "The request cannot be sent over the line"));
        }
    }

    /** A head of the answer, interim or final. */
    final void heard(Http2Headers fields, boolean ends) {
        if (over) {
            return;
        }
        ByteBuf text = LineBuffers.ALLOCATOR.heapBuffer(1024);
        try {
            HeadConversion.answer(text, fields, 1);
            text.writeShort(HeadConversion.CRLF);
            ResponseHead head = new ResponseHead();
            if (head.read(text) != RequestHead.Outcome.COMPLETE) {
                fail(502, "malformed-answer", "The member's answer is malformed");
                giveUp();
            } else if (head.status() < 200) {
                hears.informational(head);
            } else {
                answered = true;
                heardAll = ends;
                hears.head(head);
                move();
            }
        } finally {
            text.release();
        }
    }

    /** Takes over the bytes. */
    final void heard(ByteBuf bytes, boolean ends) {
        if (over) {
            bytes.release();
            return;
        }
        heardAll |= ends;
        held.add(bytes);
        move();
    }

    final void heardBehind(Http2Headers fields) {
        if (!over) {
            trailers = trailers(fields);
            heardAll = true;
            move();
        }
    }

    /** Read as those of a chunked body are; what is malformed is none. */
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

    private void move() {
        if (moving) {
            return;
        }
        moving = true;
        while (!paused && !over && !held.isEmpty()) {
            ByteBuf next = held.remove();
            int count = next.readableBytes();
            if (count > 0) {
                hears.body(next);
            }
            next.release();
            took(count);
        }
        moving = false;
        if (!over && !paused && heardAll && held.isEmpty()) {
            over = true;
            Fields behind = trailers;
            if (behind != null) {
                hears.trailers(behind);
            }
            hears.end();
            done();
        }
    }

    /** No whole answer comes. */
    final void fail(int status, String code, String message) {
        if (!over) {
            close();
            hears.failed(new OriginFailure(status, code, message, !answered));
        }
    }

    private void close() {
        over = true;
        held.forEach(ByteBuf::release);
        held.clear();
    }

    /** Whether the client takes no more at present. */
    final boolean isPaused() {
        return paused;
    }

    @Override
    public void setReading(boolean on) {
        paused = !on;
        move();
    }

    @Override
    public void abort() {
        if (!over) {
            close();
            giveUp();
        }
    }

    @Override
    public void discardRest() {
        abort();
    }
}
