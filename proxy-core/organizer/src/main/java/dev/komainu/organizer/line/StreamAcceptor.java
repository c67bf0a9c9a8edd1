package dev.komainu.organizer.line;

import io.netty.handler.codec.http2.Http2Headers;

/** Handler of the requests of a peer. */
@FunctionalInterface
public interface StreamAcceptor {

    /**
     * Accepts a request whose head is complete.
     *
     * @param head with {@code :method}, {@code :path} and so on; for a tunnel {@code CONNECT} with
     *     {@code :protocol} (RFC 8441)
     * @param ends true: the request has no body
     * @param stream the stream of the response; may be used at once
     * @param peer the requesting peer
     * @return the listener of the rest of the request. An exception of this method resets the
     *     stream (INTERNAL_ERROR)
     */
    StreamListener take(Http2Headers head, boolean ends, LineStream stream, LinePeer peer);
}
