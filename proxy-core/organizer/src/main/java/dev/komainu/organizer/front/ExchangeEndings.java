package dev.komainu.organizer.front;

import dev.komainu.organizer.line.StreamEnd;
import io.netty.handler.codec.http2.Http2Error;

/** How exchanges end here, in the line's terms. */
final class ExchangeEndings {

    static final StreamEnd COMPLETE = new StreamEnd(StreamEnd.Reason.COMPLETE, 0, "complete");
    static final StreamEnd CANCELLED =
            new StreamEnd(StreamEnd.Reason.CANCELLED, 0, "given up by this side");
    static final StreamEnd GONE = new StreamEnd(StreamEnd.Reason.LOST, 0, "the client is gone");

    private ExchangeEndings() {}

    static StreamEnd broken(String why) {
        return new StreamEnd(StreamEnd.Reason.RESET, Http2Error.INTERNAL_ERROR.code(), why);
    }
}
