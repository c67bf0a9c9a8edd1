package dev.komainu.organizer.front;

import dev.komainu.organizer.line.StreamEnd;
import io.netty.handler.codec.http2.Http2Error;

/** The stream endings that this package reports. */
final class ExchangeEndings {

    static final StreamEnd COMPLETE = new StreamEnd(StreamEnd.Reason.COMPLETE, 0, "complete");
    static final StreamEnd CANCELLED =
            new StreamEnd(StreamEnd.Reason.CANCELLED, 0, "cancelled by this side");
    static final StreamEnd GONE =
            new StreamEnd(StreamEnd.Reason.LOST, 0, "the client disconnected");

    private ExchangeEndings() {}

    static StreamEnd broken(String detail) {
        return new StreamEnd(StreamEnd.Reason.RESET, Http2Error.INTERNAL_ERROR.code(), detail);
    }
}
