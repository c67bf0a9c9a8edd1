package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * What the other side of an exchange says, in order, on {@link LineStream#loop()}. After
 * {@link #ended} nothing more.
 */
public interface StreamListener extends SendingListener {

    /**
     * The answer's head; interim ones (1xx) may come before it. Of an asking stream only: a taken
     * one began with its head.
     *
     * @param ends there is no body
     */
    void head(Http2Headers head, boolean ends);

    /**
     * The next bytes of the body.
     *
     * @param bytes taken over; when they went on, {@link LineStream#consumed} says so
     * @param ends they are the last
     */
    void data(ByteBuf bytes, boolean ends);

    /** The body ended with fields. */
    void trailers(Http2Headers fields);

    /**
     * The peer will answer what was not asked for (RFC 9113 section 8.4). Before this stream's own
     * answer is complete.
     *
     * @param head of the request that it answers
     * @param stream brings the answer; may be used at once
     * @return who hears the answer; nobody takes it unless somebody says so here
     */
    default StreamListener promised(Http2Headers head, LineStream stream) {
        stream.reset(Http2Error.CANCEL);
        return NOBODY;
    }

    /** Hears and forgets: for a stream whose taker has not said yet who hears it. */
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
