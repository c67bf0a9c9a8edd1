package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.concurrent.Future;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request of a line, over any of its connections. It is repeated when its owner cannot notice
 * the first attempt: no part of the response came, the body is still stored whole, and the peer did
 * not act or the method is safe (RFC 9110 section 9.2.1; RFC 9113 section 8.7). At most
 * {@value #MOST_TIMES} attempts. On the line's event loop.
 */
final class LineRequest implements LineStream {

    static final int MOST_TIMES = 4;

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Line line;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final StreamListener owner;
    private final boolean control;
    private final CarryingStreamListener streamListener = new CarryingStreamListener();
    private final ReplayableBody body = new ReplayableBody();
    private boolean writableIsDue;
    private boolean responseStarted;
    private boolean over;
    private int attempts;
    private @Nullable LineStream carryingStream;
    private @Nullable Future<?> patience;

    LineRequest(
            Line line,
            Http2Headers head,
            boolean endsAtHead,
            StreamListener owner,
            boolean control) {
        this.line = line;
        this.head = head;
        this.endsAtHead = endsAtHead;
        this.owner = owner;
        this.control = control;
    }

    boolean isControl() {
        return control;
    }

    boolean isOver() {
        return over;
    }

    Http2Headers head() {
        return head;
    }

    boolean endsAtHead() {
        return endsAtHead;
    }

    void waitUntil(Future<?> timeout) {
        patience = timeout;
    }

    /** Binds the request to a stream. */
    void placed(LineStream stream) {
        stopWaiting();
        carryingStream = stream;
        attempts++;
        body.sayTo(stream);
        limitBody();
        if (writableIsDue && stream.isWritable()) {
            writableIsDue = false;
            line.loop().execute(() -> {
                if (!over) {
                    owner.writable();
                }
            });
        }
    }

    private void stopWaiting() {
        Future<?> timeout = patience;
        if (timeout != null) {
            timeout.cancel(false);
            patience = null;
        }
    }

    /** Drops a body that exceeds the limit: the request is not repeated any more. */
    private void limitBody() {
        if (body.bytes() > line.settings().replayBytes()) {
            body.forget();
        }
    }

    /** Returns the listener of the stream that carries the request. */
    StreamListener streamListener() {
        return streamListener;
    }

    /** Ends the request without a stream. */
    void ended(StreamEnd how) {
        streamListener.ended(how);
    }

    // The owner's half.

    @Override
    public EventLoop loop() {
        return line.loop();
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("A request has one head, given to open");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || endsAtHead) {
            bytes.release();
            return;
        }
        LineStream stream = carryingStream;
        if (stream == null) {
            body.add(bytes, ends);
            writableIsDue |= body.bytes() >= SendWindow.BYTES;
        } else if (body.isWhole()) {
            body.add(bytes.retainedDuplicate(), ends);
            stream.data(bytes, ends);
            limitBody();
        } else {
            stream.data(bytes, ends);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (over || endsAtHead) {
            return;
        }
        LineStream stream = carryingStream;
        if (stream == null || body.isWhole()) {
            body.add(fields);
        }
        if (stream != null) {
            stream.trailers(fields);
        }
    }

    @Override
    public boolean isWritable() {
        LineStream stream = carryingStream;
        return !over
                && !endsAtHead
                && (stream == null ? body.bytes() < SendWindow.BYTES : stream.isWritable());
    }

    @Override
    public void consumed(int bytes) {
        LineStream stream = carryingStream;
        if (stream != null) {
            stream.consumed(bytes);
        }
    }

    @Override
    public void reset(Http2Error why) {
        LineStream stream = carryingStream;
        if (over) {
            return;
        }
        body.forget(); // it must not be repeated
        if (stream != null) {
            stream.reset(why);
        } else {
            line.giveUp(this);
            streamListener.ended(StreamEnd.CANCELLED);
        }
    }

    private boolean canBeRepeated(StreamEnd how) {
        boolean isAllowed = how.reason() == StreamEnd.Reason.REFUSED
                || (how.reason() == StreamEnd.Reason.LOST
                        && head.method() != null
                        && SAFE.contains(head.method().toString()));
        return isAllowed
                && body.isWhole()
                && !responseStarted
                && attempts < MOST_TIMES
                && !line.isClosed();
    }

    /** Listener of the stream that carries the request. */
    private final class CarryingStreamListener implements StreamListener {

        @Override
        public void head(Http2Headers fields, boolean ends) {
            if (!isInterim(fields)) {
                responseStarted = true;
                body.forget();
            }
            owner.head(fields, ends);
        }

        private static boolean isInterim(Http2Headers fields) {
            CharSequence status = fields.status();
            return status != null && status.length() == 3 && status.charAt(0) == '1';
        }

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            owner.data(bytes, ends);
        }

        @Override
        public void trailers(Http2Headers fields) {
            owner.trailers(fields);
        }

        @Override
        public StreamListener promised(Http2Headers fields, LineStream stream) {
            return owner.promised(fields, stream);
        }

        @Override
        public void writable() {
            owner.writable();
        }

        @Override
        public void ended(StreamEnd how) {
            if (over) {
                return;
            }
            if (canBeRepeated(how)) {
                carryingStream = null;
                line.repeat(LineRequest.this);
                return;
            }
            over = true;
            stopWaiting();
            body.forget();
            line.count(how);
            owner.ended(how);
        }
    }
}
