package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * The limit of promised responses of one connection. The peer did not request them, so they are
 * few. On the connection's event loop.
 */
public final class PushPromises {

    /** Promised responses under way at once. */
    public static final int MOST = 64;

    /** Bytes of the promised responses under way, as far as their lengths are known. */
    static final long MOST_BYTES = 2 << 20;

    private int count;
    private long bytes;

    /** Returns whether a response of so many bytes may be promised. */
    public boolean hasRoom(long more) {
        return count < MOST && bytes + more <= MOST_BYTES;
    }

    /**
     * Reserves a place.
     *
     * @return the listener of the promised stream, which frees the place at its end
     */
    public StreamListener reserve(long length, SendingListener owner) {
        count++;
        bytes += length;
        return new Reservation(length, owner);
    }

    private final class Reservation implements StreamListener {

        private final long length;
        private final SendingListener owner;

        Reservation(long length, SendingListener owner) {
            this.length = length;
            this.owner = owner;
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            throw new IllegalStateException("The peer sends nothing on a promised stream");
        }

        @Override
        public void data(ByteBuf data, boolean ends) {
            data.release();
        }

        @Override
        public void trailers(Http2Headers fields) {
            // The peer's half of such a stream is closed from the start.
        }

        @Override
        public void writable() {
            owner.writable();
        }

        @Override
        public void ended(StreamEnd how) {
            count--;
            bytes -= length;
            owner.ended(how);
        }
    }
}
