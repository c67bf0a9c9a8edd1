package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;

/**
 * The listener of a stream, at either end and over any carrier, with the count of bytes that it has
 * received and not yet consumed. On the connection's event loop.
 */
public final class StreamReceiver {

    private StreamListener listener;
    private long unconsumed;
    private boolean over;
    private StreamEnd ended = StreamEnd.COMPLETE;

    public StreamReceiver(StreamListener listener) {
        this.listener = listener;
    }

    /** Replaces the listener. When the stream is over, the new one gets the end. */
    public void setListener(StreamListener replacement) {
        if (over) {
            replacement.ended(ended);
        }
        listener = replacement;
    }

    public StreamListener listener() {
        return listener;
    }

    public boolean isOver() {
        return over;
    }

    /** Adds bytes that the listener received. */
    public void received(int bytes) {
        unconsumed += bytes;
    }

    /**
     * Removes bytes that the listener consumed.
     *
     * @return whether so many bytes were outstanding
     */
    public boolean consumed(int bytes) {
        if (unconsumed < bytes) {
            return false;
        }
        unconsumed -= bytes;
        return true;
    }

    /**
     * Ends the stream.
     *
     * @return bytes received before the end that the listener will not consume
     */
    public long end(StreamEnd how) {
        over = true;
        ended = how;
        if (how.reason() == StreamEnd.Reason.COMPLETE) {
            return 0;
        }
        long discarded = unconsumed;
        unconsumed = 0;
        return discarded;
    }
}
