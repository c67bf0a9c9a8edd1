package dev.komainu.organizer.line;

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
final class Standing {

    private boolean ready;
    private boolean draining;
    private boolean closesWhenDone;
    private boolean over;
    private String why = "closed by the peer";
    private @Nullable StreamEnd end;

    /** @return whether it was not before */
    boolean becomesReady() {
        boolean first = !ready;
        ready = true;
        return first;
    }

    boolean isReady() {
        return ready;
    }

    boolean takesStreams() {
        return ready && !draining && !over;
    }

    /** @return whether it was not before */
    boolean drains() {
        boolean first = !draining;
        draining = true;
        return first;
    }

    boolean isDraining() {
        return draining;
    }

    /** It is not only full: its last stream's end is its own. */
    void closesWhenDone() {
        closesWhenDone = true;
    }

    boolean isToClose() {
        return closesWhenDone && draining && !over;
    }

    /** @return whether it was not before */
    boolean ends() {
        boolean first = !over;
        over = true;
        return first;
    }

    boolean isOver() {
        return over;
    }

    /** For people. */
    String why() {
        return why;
    }

    void why(String reason) {
        why = reason;
    }

    /** How the streams that are open at its end are told to end; null: nobody has said yet. */
    @Nullable
    StreamEnd end() {
        return end;
    }

    void end(StreamEnd how) {
        end = how;
        why = how.detail();
    }

    /** As {@link #end}, lost when nobody has said otherwise. */
    StreamEnd endOfAll() {
        StreamEnd known = end;
        if (known == null) {
            known = StreamEnd.lost("connection lost: " + why);
            end = known;
        }
        return known;
    }
}
