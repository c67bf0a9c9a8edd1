package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of one exchange: sends messages, consumes received bytes, and ends the exchange.
 * {@link StreamListener} receives the other half. All calls on {@link #loop()}. After the stream
 * has ended, calls do nothing but release the buffers they are given.
 */
public interface LineStream {

    /** Returns the thread of all calls and of all events. */
    EventLoop loop();

    /**
     * Sends the response's head, or an interim one (1xx) before it. Only for a server's stream.
     *
     * @param ends true: the response has no body
     */
    void head(Http2Headers head, boolean ends);

    /**
     * Sends the next bytes of the body. They leave as windows and the path allow;
     * {@link #isWritable} limits how many may wait here.
     *
     * @param bytes ownership passes to the stream
     * @param ends true: these are the last bytes, and this direction ends, as with FIN
     */
    void data(ByteBuf bytes, boolean ends);

    /** Ends the body with fields (RFC 9113 section 8.1). */
    void trailers(Http2Headers fields);

    /**
     * Returns whether more bytes should be given. When that becomes true again,
     * {@link StreamListener#writable} is called.
     */
    boolean isWritable();

    /**
     * Reports that bytes of {@link StreamListener#data} were consumed: the peer may send as many
     * more. Each byte is reported once, also after the stream has ended with
     * {@link StreamEnd.Reason#COMPLETE}.
     */
    void consumed(int bytes);

    /**
     * Promises the peer a response that it did not request (RFC 9113 section 8.4). It is sent after
     * this stream's own response; once that is sent, it has the same urgency. Only for a server's
     * stream, before its own response has ended.
     *
     * @param head head of the promised request: GET, with scheme, authority and path. Ownership
     *     passes to the stream
     * @param bytes expected length of the response
     * @param events receives events of writability and the end
     * @return the stream of the promised response; null: the peer accepts no promises, or the limit
     *     of promised bytes is reached
     */
    default @Nullable LineStream promise(Http2Headers head, long bytes, SendingListener events) {
        return null;
    }

    /**
     * Ends both directions now. {@link StreamListener#ended} is called with
     * {@link StreamEnd.Reason#CANCELLED} before this returns.
     */
    void reset(Http2Error why);
}
