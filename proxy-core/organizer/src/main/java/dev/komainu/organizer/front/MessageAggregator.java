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
 * Aggregator of one purge message between members: it delivers the complete message or none. Used
 * on the stream's loop.
 */
abstract class MessageAggregator implements StreamListener {

    private final int maxBytes;
    private final StringBuilder text = new StringBuilder();
    private @Nullable LineStream stream;
    private boolean isOver;
    private boolean isRefused;

    /**
     * Creates an aggregator.
     *
     * @param maxBytes limit of a message; the stream of a longer one is reset
     */
    MessageAggregator(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Sets the stream of the message. */
    final void setStream(LineStream stream) {
        this.stream = stream;
    }

    abstract void complete(String message);

    /**
     * Called when there is no complete message.
     *
     * @param refused whether the peer does not support purges
     */
    abstract void failed(boolean refused);

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
        boolean fits = text.length() + count <= maxBytes;
        if (fits && !isOver) {
            text.append(bytes.toString(StandardCharsets.ISO_8859_1));
        }
        bytes.release();
        LineStream from = stream;
        if (from != null) {
            from.consumed(count);
        }
        if (!fits) {
            tooLong();
        } else if (ends) {
            end();
        }
    }

    /** A truncated message could have another meaning, so it is discarded. */
    private void tooLong() {
        LineStream from = stream;
        if (!isOver) {
            isOver = true;
            failed(false);
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
                failed(true);
            } else {
                complete(text.toString());
            }
        }
    }

    @Override
    public final void writable() {}

    @Override
    public final void ended(StreamEnd how) {
        if (!isOver) {
            isOver = true;
            failed(false);
        }
    }
}
