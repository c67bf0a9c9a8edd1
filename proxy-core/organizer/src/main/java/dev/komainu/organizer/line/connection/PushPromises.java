package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Places for answers that the peer of a connection is promised: nobody has asked for them, so they
 * are few. On the connection's event loop.
 */
public final class PushPromises {

    /** Under way at once. */
    public static final int MOST = 64;

    /** Of these, as far as is known. */
    static final long MOST_BYTES = 2 << 20;

    private int count;
    private long bytes;

    public boolean hasRoom(long more) {
        return count < MOST && bytes + more <= MOST_BYTES;
    }

    /** Takes a place. @return who hears the promised stream, and gives it back at its end */
    public StreamListener place(long length, SendingListener owner) {
        count++;
        bytes += length;
        return new Place(length, owner);
    }

    private final class Place implements StreamListener {

        private final long length;
        private final SendingListener owner;

        Place(long length, SendingListener owner) {
            this.length = length;
            this.owner = owner;
        }

        @Override
        public void head(Http2Headers head, boolean ends) {
            throw new IllegalStateException("The peer says nothing of what it is promised");
        }

        @Override
        public void data(ByteBuf data, boolean ends) {
            data.release();
        }

        @Override
        public void trailers(Http2Headers fields) {
            // Likewise: the peer's half of such a stream is closed from the start.
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
