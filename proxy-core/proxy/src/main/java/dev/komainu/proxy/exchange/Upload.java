package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The body of an HTTP/1 request that is sent to the origin, no faster than the origin accepts it. A
 * connection has one upload and reuses it; a request without a body is complete from the beginning.
 */
final class Upload {

    enum Outcome {
        /** All possible bytes were moved, or the origin does not accept bytes yet. */
        CONTINUES,
        /** The origin's socket is full: stop reading until {@link #open}. */
        NO_ROOM,
        /** The body is malformed; see {@link #fault}. */
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
     * Checks the bytes behind a head without consuming them. An origin need not receive a request
     * before the beginning of its body has arrived and is valid.
     *
     * @param headLength the offset in {@code in} where the body begins
     * @return {@code FAULT}; {@code CONTINUES} when the body has begun; {@code NO_ROOM} when its
     *     first bytes have not arrived
     */
    Outcome checkStart(ByteBuf in, int headLength, RequestHead head) {
        begin(head);
        BodyReader.Outcome outcome = reader.read(
                in.slice(in.readerIndex() + headLength, in.readableBytes() - headLength),
                slice -> {});
        if (outcome == BodyReader.Outcome.FAULT) {
            return Outcome.FAULT;
        }
        return reader.hasStarted() ? Outcome.CONTINUES : Outcome.NO_ROOM;
    }

    /** Signals that the origin accepts bytes. */
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
            return Outcome.CONTINUES;
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
        return Outcome.CONTINUES;
    }
}
