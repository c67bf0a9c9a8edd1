package dev.komainu.organizer.line;

import io.netty.handler.codec.http2.Http2Headers;

/** Answers what a peer asks. */
@FunctionalInterface
public interface StreamAcceptor {

    /**
     * A request came whole, as far as its head.
     *
     * @param head with {@code :method}, {@code :path} and so on; for a tunnel {@code CONNECT} with
     *     {@code :protocol} (RFC 8441)
     * @param ends it has no body
     * @param stream for the answer; may be used at once
     * @param peer who asks
     * @return who hears the rest of the request. What this throws resets the stream
     *     (INTERNAL_ERROR)
     */
    StreamListener take(Http2Headers head, boolean ends, LineStream stream, LinePeer peer);
}
