package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.connection.BodyPace;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The body of one stream's request on its way to the origin. The client's window is given back as
 * the origin takes bytes (RFC 9113 section 5.2), so that what waits here is never more than the
 * stream's window.
 *
 * <p>That window doubles whenever a whole one of bytes went on: an upload of some size must not
 * wait a round trip for every half of the first. The connection's window stays, and with it what
 * one client can make this proxy hold.
 *
 * <p>Its length is checked against content-length by the frame decoder, before bytes come here
 * (section 8.1.1).
 */
final class StreamUpload {

    private final Http2Session session;
    private final LoopContext worker;
    private final Http2Stream stream;
    private final Http2ClientStream of;
    private final Deque<ByteBuf> held = new ArrayDeque<>(0);
    private final DeadlineList.Entry silence = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            of.uploadTooSlow();
        }
    };
    private @Nullable BodyPace pace;
    private @Nullable Fields trailers;
    private boolean complete;
    private boolean open;
    private int window;
    /** Bytes that went on since the window is as large. */
    private int wentOn;

    StreamUpload(
            Http2Session session, LoopContext worker, Http2Stream stream, Http2ClientStream of) {
        this.session = session;
        this.worker = worker;
        this.stream = stream;
        this.of = of;
        this.window = session.streams().windowBytes();
    }

    void begin(boolean withoutBody) {
        complete = withoutBody;
    }

    /** The client ended a stream that carries no body of this kind. */
    void end() {
        complete = true;
    }

    /** The client has sent all of it. */
    boolean isComplete() {
        return complete;
    }

    /** The origin takes bytes. */
    void open() {
        open = true;
        FetchedResponse to = of.delivery();
        int moved = 0;
        while (open && to != null && !held.isEmpty()) {
            ByteBuf part = held.remove();
            moved += part.readableBytes();
            boolean last = complete && held.isEmpty();
            open = to.upload(part, last, last ? trailers : null);
            to = of.delivery();
        }
        if (moved > 0) {
            session.consumed(stream, moved);
            widen(moved);
        }
        watch(moved);
    }

    /** Told before the end. */
    void behind(@Nullable Fields fields) {
        trailers = fields;
    }

    /** @return how many of the bytes are done with */
    int data(ByteBuf bytes, boolean ends) {
        int size = bytes.readableBytes();
        complete |= ends;
        FetchedResponse to = of.delivery();
        if (to == null) {
            // Answered already, or broken off: nobody wants it.
            return size;
        }
        if (!open || !held.isEmpty()) {
            if (size > 0 || ends) {
                held.add(size == 0 ? Unpooled.EMPTY_BUFFER : bytes.retainedSlice());
            }
            return 0;
        }
        open = to.upload(
                size == 0 ? Unpooled.EMPTY_BUFFER : bytes.retainedSlice(),
                ends,
                ends ? trailers : null);
        widen(size);
        watch(size);
        return size;
    }

    private void widen(int bytes) {
        wentOn += bytes;
        int most = session.streams().longUploadBytes();
        if (wentOn >= window && window < most && !complete && of.delivery() != null) {
            int more = Math.min(window, most - window);
            window += more;
            wentOn = 0;
            session.widen(stream, more);
        }
    }

    /** While the origin takes bytes and the client owes them, it must keep up a pace. */
    private void watch(int moved) {
        if (complete || !open || of.delivery() == null) {
            rest();
            return;
        }
        worker.uploads.current().append(silence, System.nanoTime());
        if (moved == 0) {
            return;
        }
        BodyPace mine = pace;
        if (mine == null) {
            mine =
                    new BodyPace(
                            worker.bodies.current(), worker.policy.connections().leastBodyBytes()) {
                        @Override
                        protected void tooSlow() {
                            of.uploadTooSlow();
                        }
                    };
            pace = mine;
        }
        mine.received(moved, System.nanoTime());
    }

    private void rest() {
        DeadlineList.remove(silence);
        if (pace != null) {
            pace.pause();
        }
    }

    /** The stream is closed; its window needs nothing back. */
    void close() {
        complete = true;
        rest();
        held.forEach(ByteBuf::release);
        held.clear();
    }
}
