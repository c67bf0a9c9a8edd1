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
 * One request of a line, whichever connection carries it, and as often as it must be sent. It is
 * sent again when its owner cannot know of the first time: nothing of the answer came, the body is
 * still here whole, and the peer did not act, or the method is safe (RFC 9110 section 9.2.1; RFC
 * 9113 section 8.7). {@value #MOST_TIMES} times at most. On the line's event loop.
 */
final class LineRequest implements LineStream {

    static final int MOST_TIMES = 4;

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Line line;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final StreamListener owner;
    private final boolean control;
    private final Answer answer = new Answer();
    private final ReplayableBody kept = new ReplayableBody();
    private boolean wantsRoom;
    private boolean answered;
    private boolean over;
    private int times;
    private @Nullable LineStream on;
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

    void waits(Future<?> until) {
        patience = until;
    }

    /** It is on its way. */
    void placed(LineStream stream) {
        stopWaiting();
        on = stream;
        times++;
        kept.sayTo(stream);
        boundKept();
        if (wantsRoom && stream.isWritable()) {
            wantsRoom = false;
            line.loop().execute(() -> {
                if (!over) {
                    owner.writable();
                }
            });
        }
    }

    private void stopWaiting() {
        Future<?> until = patience;
        if (until != null) {
            until.cancel(false);
            patience = null;
        }
    }

    /** What is too much is not repeated any more. */
    private void boundKept() {
        if (kept.bytes() > line.settings().replayBytes()) {
            kept.forget();
        }
    }

    /** Who hears the stream that carries it. */
    StreamListener answer() {
        return answer;
    }

    /** It ends without a stream. */
    void ended(StreamEnd how) {
        answer.ended(how);
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
        LineStream stream = on;
        if (stream == null) {
            kept.add(bytes, ends);
            wantsRoom |= kept.bytes() >= SendWindow.BYTES;
        } else if (kept.isWhole()) {
            kept.add(bytes.retainedDuplicate(), ends);
            stream.data(bytes, ends);
            boundKept();
        } else {
            stream.data(bytes, ends);
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (over || endsAtHead) {
            return;
        }
        LineStream stream = on;
        if (stream == null || kept.isWhole()) {
            kept.add(fields);
        }
        if (stream != null) {
            stream.trailers(fields);
        }
    }

    @Override
    public boolean isWritable() {
        LineStream stream = on;
        return !over
                && !endsAtHead
                && (stream == null ? kept.bytes() < SendWindow.BYTES : stream.isWritable());
    }

    @Override
    public void consumed(int bytes) {
        LineStream stream = on;
        if (stream != null) {
            stream.consumed(bytes);
        }
    }

    @Override
    public void reset(Http2Error why) {
        LineStream stream = on;
        if (over) {
            return;
        }
        kept.forget(); // it is not to be repeated
        if (stream != null) {
            stream.reset(why);
        } else {
            line.giveUp(this);
            answer.ended(StreamEnd.CANCELLED);
        }
    }

    private boolean canBeRepeated(StreamEnd how) {
        boolean may = how.reason() == StreamEnd.Reason.REFUSED
                || how.reason() == StreamEnd.Reason.LOST
                        && head.method() != null
                        && SAFE.contains(head.method().toString());
        return may && kept.isWhole() && !answered && times < MOST_TIMES && !line.isClosed();
    }

    /** What the stream that carries it tells. */
    private final class Answer implements StreamListener {

        @Override
        public void head(Http2Headers fields, boolean ends) {
            if (!isInterim(fields)) {
                answered = true;
                kept.forget();
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
                on = null;
                line.again(LineRequest.this);
                return;
            }
            over = true;
            stopWaiting();
            kept.forget();
            line.count(how);
            owner.ended(how);
        }
    }
}
