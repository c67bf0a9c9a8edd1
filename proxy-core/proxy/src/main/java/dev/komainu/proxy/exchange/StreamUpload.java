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
 * The body of one stream's request that is sent to the origin. The client's window is returned as
 * the origin accepts bytes (RFC 9113 section 5.2), so that at most the stream's window waits here.
 *
 * <p>The window doubles whenever as many bytes as it has were sent on: a large upload must not wait
 * a round trip for every half of the first window. The connection's window does not change, and
 * limits the memory that one client can use.
 *
 * <p>The frame decoder checks the length against content-length before bytes arrive here (section
 * 8.1.1).
 */
final class StreamUpload {

    private final Http2Session session;
    private final LoopContext context;
    private final Http2Stream stream;
    private final Http2ClientStream clientStream;
    private final Deque<ByteBuf> waiting = new ArrayDeque<>(0);
    private final DeadlineList.Entry silence = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            clientStream.uploadTooSlow();
        }
    };
    private @Nullable BodyPace pace;
    private @Nullable Fields trailers;
    private boolean complete;
    private boolean open;
    private int window;
    /** The bytes sent on since the window last grew. */
    private int sentBytes;

    StreamUpload(
            Http2Session session,
            LoopContext context,
            Http2Stream stream,
            Http2ClientStream clientStream) {
        this.session = session;
        this.context = context;
        this.stream = stream;
        this.clientStream = clientStream;
        this.window = session.streams().windowBytes();
    }

    void begin(boolean withoutBody) {
        complete = withoutBody;
    }

    /** Ends the upload of a stream without a body of this kind. */
    void end() {
        complete = true;
    }

    /** Reports whether the client has sent the whole body. */
    boolean isComplete() {
        return complete;
    }

    /** Sends waiting bytes; the origin accepts them. */
    void open() {
        open = true;
        FetchedResponse to = clientStream.delivery();
        int moved = 0;
        while (open && to != null && !waiting.isEmpty()) {
            ByteBuf part = waiting.remove();
            moved += part.readableBytes();
            boolean last = complete && waiting.isEmpty();
            open = to.upload(part, last, last ? trailers : null);
            to = clientStream.delivery();
        }
        if (moved > 0) {
            session.consumed(stream, moved);
            widen(moved);
        }
        checkPace(moved);
    }

    /** Sets the trailers, before the end. */
    void setTrailers(@Nullable Fields fields) {
        trailers = fields;
    }

    /**
     * Receives body bytes.
     *
     * @return the number of bytes that are consumed
     */
    int data(ByteBuf bytes, boolean ends) {
        int size = bytes.readableBytes();
        complete |= ends;
        FetchedResponse to = clientStream.delivery();
        if (to == null) {
            // The response is complete or broken off: the body is not needed.
            return size;
        }
        if (!open || !waiting.isEmpty()) {
            if (size > 0 || ends) {
                waiting.add(size == 0 ? Unpooled.EMPTY_BUFFER : bytes.retainedSlice());
            }
            return 0;
        }
        open = to.upload(
                size == 0 ? Unpooled.EMPTY_BUFFER : bytes.retainedSlice(),
                ends,
                ends ? trailers : null);
        widen(size);
        checkPace(size);
        return size;
    }

    private void widen(int bytes) {
        sentBytes += bytes;
        int max = session.streams().longUploadBytes();
        if (sentBytes >= window && window < max && !complete && clientStream.delivery() != null) {
            int more = Math.min(window, max - window);
            window += more;
            sentBytes = 0;
            session.widen(stream, more);
        }
    }

    /**
     * Starts or stops the checks of the client: while the origin accepts bytes and more are due,
     * the client must keep a minimum pace.
     */
    private void checkPace(int moved) {
        if (complete || !open || clientStream.delivery() == null) {
            stopChecks();
            return;
        }
        context.uploads.current().append(silence, System.nanoTime());
        if (moved == 0) {
            return;
        }
        BodyPace current = pace;
        if (current == null) {
            current =
                    new BodyPace(
                            context.bodies.current(),
                            context.policy.connections().leastBodyBytes()) {
                        @Override
                        protected void tooSlow() {
                            clientStream.uploadTooSlow();
                        }
                    };
            pace = current;
        }
        current.received(moved, System.nanoTime());
    }

    private void stopChecks() {
        DeadlineList.remove(silence);
        if (pace != null) {
            pace.pause();
        }
    }

    /** Releases the bytes; the stream is closed, so its window needs none back. */
    void close() {
        complete = true;
        stopChecks();
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }
}
