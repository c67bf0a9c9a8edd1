package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A request's body on its way to the origin, no faster than the origin takes it. A connection has
 * one of these and reuses it; a request without a body is complete from the beginning.
 */
final class Upload {

    enum Outcome {
        /** Moved what could be moved, or nobody takes bytes yet. */
        GOES_ON,
        /** The origin's socket is full: stop reading until {@link #open}. */
        NO_ROOM,
        /** See {@link #fault}. */
        FAULT
    }

    private final BodyReader reader = new BodyReader();
    private boolean open;

    void begin(RequestHead head) {
        open = false;
        if (head.isChunked()) {
            reader.beginChunked();
        } else {
            reader.beginLength(head.contentLength());
        }
    }

    /**
     * Looks at what came behind a head without taking it. An origin need not see a request of whose
     * body not even the beginning is there, or is lawful.
     *
     * @param headLength where in {@code in} the body begins
     * @return {@code FAULT}, {@code GOES_ON} when the body has begun, {@code NO_ROOM} when its
     *     first bytes are still to come
     */
    Outcome opening(ByteBuf in, int headLength, RequestHead head) {
        begin(head);
        BodyReader.Outcome outcome = reader.read(
                in.slice(in.readerIndex() + headLength, in.readableBytes() - headLength),
                slice -> {});
        if (outcome == BodyReader.Outcome.FAULT) {
            return Outcome.FAULT;
        }
        return reader.hasStarted() ? Outcome.GOES_ON : Outcome.NO_ROOM;
    }

    /** The origin takes bytes. */
    void open() {
        open = true;
    }

    boolean isOpen() {
        return open;
    }

    boolean isComplete() {
        return reader.isDone();
    }

    MessageFault fault() {
        return reader.fault();
    }

    Outcome move(ByteBuf in, FetchedResponse to) {
        if (reader.isDone() || !open) {
            return Outcome.GOES_ON;
        }
        boolean[] room = {true};
        BodyReader.Outcome outcome =
                reader.read(in, slice -> room[0] &= to.upload(slice.retainedSlice(), false, null));
        if (outcome == BodyReader.Outcome.FAULT) {
            return Outcome.FAULT;
        }
        if (outcome == BodyReader.Outcome.DONE) {
            to.upload(Unpooled.EMPTY_BUFFER, true, reader.trailers());
        } else if (!room[0]) {
            open = false;
            return Outcome.NO_ROOM;
        }
        return Outcome.GOES_ON;
    }
}
