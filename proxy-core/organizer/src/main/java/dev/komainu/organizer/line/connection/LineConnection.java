package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/** One connection of a line, at either end, over any carrier. Owned by its event loop. */
public interface LineConnection {

    /** The owner of a connection. All calls on the connection's event loop. */
    interface Owner {

        /** Called when the peer's first message came: streams may be opened. */
        void ready(LineConnection connection);

        /** Called when a stream has closed: there may be room for another, or no stream is left. */
        void streamClosed(LineConnection connection);

        /** Called when the peer accepts no new streams any more. */
        void draining(LineConnection connection);

        /**
         * Called when the peer did not close in time after the last frame; {@link #gone} follows.
         */
        void lingerTimedOut(LineConnection connection);

        /** Called once, after all streams of the connection have ended. */
        void gone(LineConnection connection, String why);

        /** Called for a peer's request. Only for a server. */
        StreamListener requested(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream);
    }

    EventLoop loop();

    /**
     * Returns whether one more stream can be opened.
     *
     * @param spare streams that must stay free beside it
     */
    boolean hasRoom(int spare);

    /**
     * Returns whether the connection is about to count as lost: a ping waits for its answer, and no
     * byte comes.
     */
    boolean isOverdue();

    /** Returns the number of open streams. */
    int streams();

    /**
     * Opens a stream with a request.
     *
     * @return null when no stream can be opened any more: the stream numbers are used up, or the
     *     connection is ending
     */
    @Nullable
    LineStream open(Http2Headers head, boolean ends, StreamListener events);

    ConnectionFigures figures();

    /** Returns whether the peer has reported that it also accepts QUIC. */
    boolean offersQuic();

    /** Refuses new streams, and closes when the last stream has ended. */
    void drain();

    /**
     * Closes now, and ends the streams with this reason. A connection that has sent its last frame
     * already keeps its own end, which is near.
     */
    void close(StreamEnd how);
}
