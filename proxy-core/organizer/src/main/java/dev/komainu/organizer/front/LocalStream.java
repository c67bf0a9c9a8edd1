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
 * One end of a stream that does not leave this organizer: what is said at one end is heard at the
 * other, with the room, the ends and the resets of a stream on a line. On its loop.
 */
final class LocalStream implements LineStream {

    private final EventLoop loop;
    private final Deque<Runnable> early = new ArrayDeque<>(0);
    private LocalStream other = this;
    private @Nullable StreamListener owner;
    /** For what is said here and not taken at the other end. */
    private final SendWindow room = new SendWindow();

    private boolean saidAll;
    private boolean over;

    private LocalStream(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Asks.
     *
     * @param asker hears the answer, after this has returned
     * @param taker gets the end that answers, and says who hears what is asked
     * @return the end that asks
     */
    static LocalStream open(
            EventLoop loop, StreamListener asker, Function<LineStream, StreamListener> taker) {
        LocalStream asks = new LocalStream(loop);
        LocalStream answers = new LocalStream(loop);
        asks.other = answers;
        answers.other = asks;
        asks.owner = asker;
        loop.execute(() -> {
            answers.owner = answers.over ? StreamListener.NOBODY : taker.apply(answers);
            while (!answers.early.isEmpty()) {
                answers.early.remove().run();
            }
        });
        return asks;
    }

    /** Tells this end's owner, as soon as there is one. */
    private void tell(Consumer<StreamListener> what) {
        StreamListener to = owner;
        if (to == null) {
            early.add(() -> tell(what));
        } else {
            what.accept(to);
        }
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void head(Http2Headers head, boolean ends) {
        if (!over && !saidAll) {
            saidAll = ends;
            other.tell(hears -> hears.head(head, ends));
            settle();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || saidAll) {
            bytes.release();
            return;
        }
        saidAll = ends;
        room.took(bytes.readableBytes());
        other.tell(hears -> hears.data(bytes, ends));
        settle();
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (!over && !saidAll) {
            saidAll = true;
            other.tell(hears -> hears.trailers(fields));
            settle();
        }
    }

    private void settle() {
        if (saidAll && other.saidAll) {
            end(ExchangeEndings.COMPLETE);
            other.end(ExchangeEndings.COMPLETE);
        }
    }

    private void end(StreamEnd how) {
        if (!over) {
            over = true;
            tell(hears -> hears.ended(how));
        }
    }

    @Override
    public boolean isWritable() {
        return !over && !saidAll && room.isThere();
    }

    @Override
    public void consumed(int bytes) {
        other.taken(bytes);
    }

    private void taken(int bytes) {
        if (room.passedOn(bytes) && !over && !saidAll) {
            tell(StreamListener::writable);
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (over) {
            return;
        }
        // Who has answered in full may stop hearing the request (RFC 9113 section 8.1): that is
        // complete.
        StreamEnd heard = why == Http2Error.NO_ERROR && saidAll
                ? ExchangeEndings.COMPLETE
                : new StreamEnd(
                        StreamEnd.Reason.RESET, why.code(), "reset by the other end: " + why);
        end(ExchangeEndings.CANCELLED);
        other.end(heard);
    }
}
