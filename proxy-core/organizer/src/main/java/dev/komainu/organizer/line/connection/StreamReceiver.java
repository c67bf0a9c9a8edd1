package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;

/**
 * Whoever hears a stream, at either end and over whatever, and what he was given and has not taken
 * yet. On the connection's event loop.
 */
public final class StreamReceiver {

    private StreamListener events;
    private long untaken;
    private boolean over;
    private StreamEnd ended = StreamEnd.COMPLETE;

    public StreamReceiver(StreamListener events) {
        this.events = events;
    }

    /** Somebody else hears from now on; of one that is over at least the end. */
    public void is(StreamListener hears) {
        if (over) {
            hears.ended(ended);
        }
        events = hears;
    }

    public StreamListener events() {
        return events;
    }

    public boolean isOver() {
        return over;
    }

    public void gave(int bytes) {
        untaken += bytes;
    }

    /** @return whether he had so many to take */
    public boolean took(int bytes) {
        if (untaken < bytes) {
            return false;
        }
        untaken -= bytes;
        return true;
    }

    /** Nothing more comes. @return bytes that he throws away with whatever came before the end */
    public long ends(StreamEnd how) {
        over = true;
        ended = how;
        if (how.reason() == StreamEnd.Reason.COMPLETE) {
            return 0;
        }
        long thrown = untaken;
        untaken = 0;
        return thrown;
    }
}
