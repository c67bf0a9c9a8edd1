package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * The events of the other side of an exchange, in order, on {@link LineStream#loop()}. No event
 * follows {@link #ended}.
 */
public interface StreamListener extends SendingListener {

    /**
     * Receives the response's head; interim ones (1xx) may come before it. Only for a requesting
     * stream: an accepted one starts with its head.
     *
     * @param ends true: there is no body
     */
    void head(Http2Headers head, boolean ends);

    /**
     * Receives the next bytes of the body.
     *
     * @param bytes ownership passes to the listener, which reports them by
     *     {@link LineStream#consumed} once they are consumed
     * @param ends true: these are the last bytes
     */
    void data(ByteBuf bytes, boolean ends);

    /** Receives the fields that end the body. */
    void trailers(Http2Headers fields);

    /**
     * Receives a promise of the peer to answer a request that was not sent (RFC 9113 section 8.4).
     * It comes before this stream's own response is complete. By default the promise is cancelled.
     *
     * @param head head of the promised request
     * @param stream the stream of the response; may be used at once
     * @return the listener of the response
     */
    default StreamListener promised(Http2Headers head, LineStream stream) {
        stream.reset(Http2Error.CANCEL);
        return NOBODY;
    }

    /** A listener that discards all: for a stream that has no listener yet. */
    StreamListener NOBODY = new StreamListener() {
        @Override
        public void head(Http2Headers head, boolean ends) {}

        @Override
        public void data(ByteBuf bytes, boolean ends) {
            bytes.release();
        }

        @Override
        public void trailers(Http2Headers fields) {}

        @Override
        public void writable() {}

        @Override
        public void ended(StreamEnd how) {}
    };
}
