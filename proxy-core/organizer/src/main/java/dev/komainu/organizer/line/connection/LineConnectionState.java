package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.StreamEnd;
import org.jspecify.annotations.Nullable;

/**
 * How a connection stands, whatever it runs over, and why it ends. On its event loop.
 *
 * <pre>
 *   begun ──► ready ──► draining ──► over
 *      └────────┴────────────────────►
 *   ready      the peer's first word came: streams may be opened
 *   draining   no new streams; those there are go on
 *   over       nothing more is said
 * </pre>
 */
public final class LineConnectionState {

    private boolean ready;
    private boolean draining;
    private boolean closesWhenDone;
    private boolean over;
    private String why = "closed by the peer";
    private @Nullable StreamEnd end;

    /** @return whether it was not before */
    public boolean becomesReady() {
        boolean first = !ready;
        ready = true;
        return first;
    }

    public boolean isReady() {
        return ready;
    }

    public boolean takesStreams() {
        return ready && !draining && !over;
    }

    /** @return whether it was not before */
    public boolean drains() {
        boolean first = !draining;
        draining = true;
        return first;
    }

    public boolean isDraining() {
        return draining;
    }

    /** It is not only full: its last stream's end is its own. */
    public void closesWhenDone() {
        closesWhenDone = true;
    }

    public boolean isToClose() {
        return closesWhenDone && draining && !over;
    }

    /** @return whether it was not before */
    public boolean ends() {
        boolean first = !over;
        over = true;
        return first;
    }

    public boolean isOver() {
        return over;
    }

    /** For people. */
    public String why() {
        return why;
    }

    public void why(String reason) {
        why = reason;
    }

    /** How the streams that are open at its end are told to end; null: nobody has said yet. */
    public @Nullable StreamEnd end() {
        return end;
    }

    public void end(StreamEnd how) {
        end = how;
        why = how.detail();
    }

    /** As {@link #end}, lost when nobody has said otherwise. */
    public StreamEnd endOfAll() {
        StreamEnd known = end;
        if (known == null) {
            known = StreamEnd.lost("connection lost: " + why);
            end = known;
        }
        return known;
    }
}
