package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/** One connection of a line, at either end, whatever it runs over. Owned by its event loop. */
public interface LineConnection {

    /** Whom a connection works for. All on its event loop. */
    interface Owner {

        /** The peer's first word came: streams may be opened. */
        void ready(LineConnection connection);

        /** There may be room for another stream, or no stream is left. */
        void streamClosed(LineConnection connection);

        /** The peer takes no new streams any more. */
        void draining(LineConnection connection);

        /** Its peer did not end in time behind the last frame; {@link #gone} follows. */
        void lingeredOut(LineConnection connection);

        /** Told once, after all of its streams have ended. */
        void gone(LineConnection connection, String why);

        /** A peer's request; of a server only. */
        StreamListener asked(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream);
    }

    EventLoop loop();

    /** Whether one more stream can be opened. @param spare how many must stay free behind it */
    boolean hasRoom(int spare);

    /** Whether it is about to count as lost: a ping waits for an answer, and nothing is heard. */
    boolean isOverdue();

    /** Open now. */
    int streams();

    /**
     * Asks. @return null when it can open no stream any more: its numbers are used up, or it is
     * going
     */
    @Nullable
    LineStream open(Http2Headers head, boolean ends, StreamListener events);

    ConnectionFigures figures();

    /** Whether the peer said that it answers over QUIC, too. */
    boolean offersQuic();

    /** Takes no new streams; closes when the last one is over. */
    void drain();

    /**
     * Closes now; streams end so. One that says nothing more is left to its own end, which is near.
     */
    void close(StreamEnd how);
}
