package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what members tell each other about purges, and hands it over whole or not at all. On the
 * stream's loop.
 */
abstract class MessageAggregator implements StreamListener {

    private final int mostBytes;
    private final StringBuilder text = new StringBuilder();
    private @Nullable LineStream on;
    private boolean isOver;
    private boolean isRefused;

    /** @param mostBytes of a message; one that is longer is none, and its stream is reset */
    MessageAggregator(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** It comes on this stream. */
    final void on(LineStream stream) {
        on = stream;
    }

    abstract void whole(String message);

    /** @param refused by who knows no purges */
    abstract void none(boolean refused);

    @Override
    public final void head(Http2Headers head, boolean ends) {
        isRefused = HeadConversion.status(head) != 200;
        if (ends) {
            end();
        }
    }

    @Override
    public final void data(ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        boolean fits = text.length() + count <= mostBytes;
        if (fits && !isOver) {
            text.append(bytes.toString(StandardCharsets.ISO_8859_1));
        }
        bytes.release();
        LineStream from = on;
        if (from != null) {
            from.consumed(count);
        }
        if (!fits) {
            tooLong();
        } else if (ends) {
            end();
        }
    }

    /** With a hole in it, it might tell something else. */
    private void tooLong() {
        LineStream from = on;
        if (!isOver) {
            isOver = true;
            none(false);
            if (from != null) {
                from.reset(Http2Error.ENHANCE_YOUR_CALM);
            }
        }
    }

    @Override
    public final void trailers(Http2Headers fields) {
        end();
    }

    private void end() {
        if (!isOver) {
            isOver = true;
            if (isRefused) {
                none(true);
            } else {
                whole(text.toString());
            }
        }
    }

    @Override
    public final void writable() {}

    @Override
    public final void ended(StreamEnd how) {
        if (!isOver) {
            isOver = true;
            none(false);
        }
    }
}
