package dev.komainu.organizer.line;

import io.netty.handler.codec.http2.Http2Error;

/**
 * How a stream ended.
 *
 * @param reason the kind
 * @param code HTTP/2's, of a reset (RFC 9113 section 7); else 0
 * @param detail for people
 */
public record StreamEnd(Reason reason, long code, String detail) {

    /** Kinds of ends. Whether the peer may have begun to act decides who may repeat what. */
    public enum Reason {
        /** Both directions were said to their end. */
        COMPLETE,
        /** The peer reset it: it may have acted. */
        RESET,
        /**
         * The peer has not looked at it (REFUSED_STREAM, or GOAWAY with a lower stream): any method
         * may be repeated.
         */
        REFUSED,
        /** Its connection was lost: the peer may have acted. */
        LOST,
        /** No connection could be had within {@link LineSettings#patience}: nothing was sent. */
        NO_CONNECTION,
        /** This side reset it. */
        CANCELLED,
        /** This side's line or server was closed. */
        CLOSED,
        /** What came breaks HTTP/2's rules. */
        MALFORMED
    }

    public static final StreamEnd COMPLETE = new StreamEnd(Reason.COMPLETE, 0, "complete");
    public static final StreamEnd CANCELLED =
            new StreamEnd(Reason.CANCELLED, 0, "reset by this side");
    public static final StreamEnd CLOSED = new StreamEnd(Reason.CLOSED, 0, "the line was closed");

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

    /** Whether the peer is known not to have acted on it. */
    public boolean isUntouched() {
        return reason == Reason.REFUSED || reason == Reason.NO_CONNECTION;
    }
}
