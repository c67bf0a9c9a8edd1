package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * This side's half of one exchange: what it sends, how much more it can take, and its end. The
 * other half speaks through {@link StreamListener}. Everything on {@link #loop()}; once the stream
 * is over, calls do nothing but release what they are given.
 */
public interface LineStream {

    /** The thread of all calls, and of all that is told. */
    EventLoop loop();

    /**
     * The answer's head, or an interim one (1xx) before it; of a server's stream only.
     *
     * @param ends there is no body
     */
    void head(Http2Headers head, boolean ends);

    /**
     * The next bytes of the body. They are sent as windows and the path allow; how many may wait
     * here tells {@link #isWritable}.
     *
     * @param bytes taken over
     * @param ends they are the last: this direction ends, as with FIN
     */
    void data(ByteBuf bytes, boolean ends);

    /** Ends the body with fields (RFC 9113 section 8.1). */
    void trailers(Http2Headers fields);

    /**
     * Whether more should be given; when that turns true again, {@link StreamListener#writable} is
     * told.
     */
    boolean isWritable();

    /**
     * Bytes that {@link StreamListener#data} handed over went on: the peer may send as many more.
     * Each byte once; also of a stream that has ended {@link StreamEnd.Reason#COMPLETE} meanwhile.
     */
    void consumed(int bytes);

    /**
     * Promises the peer an answer that it has not asked for (RFC 9113 section 8.4), and that goes
     * behind this stream's own in the order of sending; once that is sent, it is as urgent. Of a
     * server's stream only, before its own answer has ended.
     *
     * @param head of the request that it answers: GET, with scheme, authority and path. Given away
     * @param bytes how long the answer will be, as far as is known
     * @param events hear of room, and how it ended
     * @return for the answer; null: the peer takes none, or as much as it may be promised is under
     *     way
     */
    default @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener events) {
        return null;
    }

    /**
     * Ends both directions now. {@link StreamListener#ended} is told,
     * {@link StreamEnd.Reason#CANCELLED}, before this returns.
     */
    void reset(Http2Error why);
}
