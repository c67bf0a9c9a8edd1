package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The stored start of a request's body, which can be sent again to another receiver. On the loop of
 * its request.
 */
public final class ReplayableBody {

    private record Part(ByteBuf bytes, boolean ends) {}

    private final List<Part> parts = new ArrayList<>(0);
    private @Nullable Http2Headers trailers;
    private int bytes;
    private boolean isWhole = true;

    /** Returns whether no part of the body is missing. */
    public boolean isWhole() {
        return isWhole;
    }

    /** Returns the number of stored bytes. */
    public int bytes() {
        return bytes;
    }

    /**
     * Adds the next part.
     *
     * @param part ownership passes to the body
     * @param ends true: this is the last part
     */
    public void add(ByteBuf part, boolean ends) {
        bytes += part.readableBytes();
        parts.add(new Part(part, ends));
    }

    /** Ends the body with trailers. */
    public void add(Http2Headers trailersReceiver) {
        trailers = trailersReceiver;
    }

    /** Sends all stored parts; they stay stored. */
    public void sayTo(LineStream to) {
        replay(to::data, to::trailers);
    }

    /** Delivers all stored parts; they stay stored. */
    public void sayTo(StreamListener to) {
        replay(to::data, to::trailers);
    }

    private void replay(
            BiConsumer<ByteBuf, Boolean> data, Consumer<Http2Headers> trailersReceiver) {
        // By index: the receiver may fail and clear the parts meanwhile.
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            data.accept(part.bytes().retainedDuplicate(), part.ends());
        }
        Http2Headers fields = trailers;
        if (fields != null) {
            trailersReceiver.accept(fields);
        }
    }

    /** Releases all parts: the body cannot be sent again any more. */
    public void forget() {
        isWhole = false;
        parts.forEach(part -> part.bytes().release());
        parts.clear();
        trailers = null;
        bytes = 0;
    }
}
