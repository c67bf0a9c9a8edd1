package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One end of a stream within this organizer: data sent at one end is received at the other, with
 * the flow control, the ends and the resets of a line stream. Used on its loop.
 */
final class LocalStream implements LineStream {

    private final EventLoop loop;
    private final Deque<Runnable> queued = new ArrayDeque<>(0);
    private LocalStream other = this;
    private @Nullable StreamListener owner;
    /** The window for bytes sent here and not yet consumed at the other end. */
    private final SendWindow window = new SendWindow();

    private boolean sentAll;
    private boolean ended;

    private LocalStream(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Opens a stream.
     *
     * @param listener receives the response, never before this method returns
     * @param acceptor receives the answering end and returns the receiver of the request
     * @return the requesting end
     */
    static LocalStream open(
            EventLoop loop,
            StreamListener listener,
            Function<LineStream, StreamListener> acceptor) {
        LocalStream requestEnd = new LocalStream(loop);
        LocalStream responseEnd = new LocalStream(loop);
        requestEnd.other = responseEnd;
        responseEnd.other = requestEnd;
        requestEnd.owner = listener;
        loop.execute(() -> {
            responseEnd.owner =
                    responseEnd.ended ? StreamListener.NOBODY : acceptor.apply(responseEnd);
            while (!responseEnd.queued.isEmpty()) {
                responseEnd.queued.remove().run();
            }
        });
        return requestEnd;
    }

    /** Notifies the owner of this end, or queues the event until there is an owner. */
    private void notifyOwner(Consumer<StreamListener> event) {
        StreamListener to = owner;
        if (to == null) {
            queued.add(() -> notifyOwner(event));
        } else {
            event.accept(to);
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        if (!ended && !sentAll) {
            sentAll = ends;
            other.notifyOwner(receiver -> receiver.head(head, ends));
            endIfComplete();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (ended || sentAll) {
            bytes.release();
            return;
        }
        sentAll = ends;
        window.took(bytes.readableBytes());
        other.notifyOwner(receiver -> receiver.data(bytes, ends));
        endIfComplete();
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!ended && !sentAll) {
            sentAll = true;
            other.notifyOwner(receiver -> receiver.trailers(fields));
            endIfComplete();
        }
    }

    private void endIfComplete() {
        if (sentAll && other.sentAll) {
            end(ExchangeEndings.COMPLETE);
            other.end(ExchangeEndings.COMPLETE);
        }
    }

    private void end(StreamEnd end) {
        if (!ended) {
            ended = true;
            notifyOwner(receiver -> receiver.ended(end));
        }
    }

    @Override
    public boolean isWritable() {
        return !ended && !sentAll && window.isThere();
    }

    @Override
    public void consumed(int bytes) {
        other.onConsumed(bytes);
    }

    private void onConsumed(int bytes) {
        if (window.passedOn(bytes) && !ended && !sentAll) {
            notifyOwner(StreamListener::writable);
        }
    }

    @Override
    public void reset(Http2Error error) {
        if (ended) {
            return;
        }
        // An end that has sent its complete response may reset the request (RFC 9113 section 8.1).
        // The exchange is complete then.
        StreamEnd otherEnd = error == Http2Error.NO_ERROR && sentAll
                ? ExchangeEndings.COMPLETE
                : new StreamEnd(
                        StreamEnd.Reason.RESET, error.code(), "reset by the other end: " + error);
        end(ExchangeEndings.CANCELLED);
        other.end(otherEnd);
    }
}
