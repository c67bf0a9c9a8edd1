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
 * What was said of a request's body so far, kept so that it can be said again to another. On the
 * loop of its request.
 */
public final class ReplayableBody {

    private record Part(ByteBuf bytes, boolean ends) {}

    private final List<Part> parts = new ArrayList<>(0);
    private @Nullable Http2Headers trailers;
    private int bytes;
    private boolean isWhole = true;

    /** Whether nothing of it is missing. */
    public boolean isWhole() {
        return isWhole;
    }

    /** How many are kept. */
    public int bytes() {
        return bytes;
    }

    /** @param part the next, taken over; @param ends it is the last */
    public void add(ByteBuf part, boolean ends) {
        bytes += part.readableBytes();
        parts.add(new Part(part, ends));
    }

    /** It ends with fields. */
    public void add(Http2Headers behind) {
        trailers = behind;
    }

    /** Says all there is; it stays here. */
    public void sayTo(LineStream to) {
        say(to::data, to::trailers);
    }

    /** Tells all there is; it stays here. */
    public void sayTo(StreamListener to) {
        say(to::data, to::trailers);
    }

    private void say(BiConsumer<ByteBuf, Boolean> data, Consumer<Http2Headers> behind) {
        // By number: who hears it may break, and have it forgotten meanwhile.
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            data.accept(part.bytes().retainedDuplicate(), part.ends());
        }
        Http2Headers fields = trailers;
        if (fields != null) {
            behind.accept(fields);
        }
    }

    /** It cannot be said again any more. */
    public void forget() {
        isWhole = false;
        parts.forEach(part -> part.bytes().release());
        parts.clear();
        trailers = null;
        bytes = 0;
    }
}
