package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/** What the other side of an exchange says, in order, on {@link LineStream#loop()}. After {@link #ended} nothing more. */
public interface StreamEvents {

    /**
     * The answer's head; interim ones (1xx) may come before it. Of an asking stream only: a taken one began with its head.
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

    /** There is room for more bytes again. */
    void writable();

    /** Both directions are over; told exactly once. */
    void ended(StreamEnd how);

    /** Hears and forgets: for a stream whose taker has not said yet who hears it. */
    StreamEvents NOBODY = new StreamEvents() {
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
