package dev.komainu.organizer.line.connection;

import dev.komainu.organizer.line.StreamEnd;
import org.jspecify.annotations.Nullable;

/**
 * The state of a connection, over any carrier, and the reason of its end. On its event loop.
 *
 * <pre>
 *   started ──► ready ──► draining ──► over
 *      └──────────┴────────────────────►
 *   ready      the peer's first message came: streams may be opened
 *   draining   no new streams; existing streams continue
 *   over       nothing more is sent
 * </pre>
 */
public final class LineConnectionState {

    private boolean ready;
    private boolean draining;
    private boolean closesWhenDone;
    private boolean over;
    private String why = "closed by the peer";
    private @Nullable StreamEnd end;

    /**
     * Marks the connection as ready.
     *
     * @return whether it was not ready before
     */
    public boolean markReady() {
        boolean first = !ready;
        ready = true;
        return first;
    }

    public boolean isReady() {
        return ready;
    }

    public boolean acceptsStreams() {
        return ready && !draining && !over;
    }

    /**
     * Marks the connection as draining.
     *
     * @return whether it was not draining before
     */
    public boolean markDraining() {
        boolean first = !draining;
        draining = true;
        return first;
    }

    public boolean isDraining() {
        return draining;
    }

    /** Closes the connection with its last stream: it is not only full. */
    public void closesWhenDone() {
        closesWhenDone = true;
    }

    public boolean shouldClose() {
        return closesWhenDone && draining && !over;
    }

    /**
     * Marks the connection as over.
     *
     * @return whether it was not over before
     */
    public boolean markOver() {
        boolean first = !over;
        over = true;
        return first;
    }

    public boolean isOver() {
        return over;
    }

    /** Returns the reason of the end, for operators. */
    public String why() {
        return why;
    }

    public void why(String reason) {
        why = reason;
    }

    /** Returns the end that open streams get when the connection ends; null: not decided yet. */
    public @Nullable StreamEnd end() {
        return end;
    }

    public void end(StreamEnd how) {
        end = how;
        why = how.detail();
    }

    /** Returns {@link #end}, or a lost connection when it is not decided yet. */
    public StreamEnd endOrLost() {
        StreamEnd decided = end;
        if (decided == null) {
            decided = StreamEnd.lost("connection lost: " + why);
            end = decided;
        }
        return decided;
    }
}
