package dev.komainu.organizer.line;

import io.netty.handler.codec.http2.Http2Error;

/**
 * The end of a stream, with its reason.
 *
 * @param reason the kind of end
 * @param code HTTP/2's error code, of a reset (RFC 9113 section 7); else 0
 * @param detail description for operators
 */
public record StreamEnd(Reason reason, long code, String detail) {

    /**
     * Kinds of ends. They decide which request may be repeated: the peer may have started to act on
     * some of them.
     */
    public enum Reason {
        /** Both directions ended regularly. */
        COMPLETE,
        /** The peer reset the stream: it may have acted. */
        RESET,
        /**
         * The peer did not process the request (REFUSED_STREAM, or GOAWAY with a lower stream): any
         * method may be repeated.
         */
        REFUSED,
        /** The connection was lost: the peer may have acted. */
        LOST,
        /** No connection was available within {@link LineSettings#patience}: nothing was sent. */
        NO_CONNECTION,
        /** This side reset the stream. */
        CANCELLED,
        /** This side's line or server was closed. */
        CLOSED,
        /** The received frames break HTTP/2's rules. */
        MALFORMED
    }

    public static final StreamEnd COMPLETE = new StreamEnd(Reason.COMPLETE, 0, "complete");
    public static final StreamEnd CANCELLED =
            new StreamEnd(Reason.CANCELLED, 0, "reset by this side");
    public static final StreamEnd CLOSED = new StreamEnd(Reason.CLOSED, 0, "the line was closed");

    /** Returns the end of a stream that the peer reset with this HTTP/2 error code. */
    public static StreamEnd reset(long code) {
        Http2Error error = Http2Error.valueOf(code);
        return new StreamEnd(
                error == Http2Error.REFUSED_STREAM ? Reason.REFUSED : Reason.RESET,
                code,
                "reset by the peer: " + (error == null ? Long.toString(code) : error.name()));
    }

    public static StreamEnd lost(String why) {
        return new StreamEnd(Reason.LOST, 0, why);
    }

    /** Returns whether the peer is known not to have acted on the request. */
    public boolean isUntouched() {
        return reason == Reason.REFUSED || reason == Reason.NO_CONNECTION;
    }
}
