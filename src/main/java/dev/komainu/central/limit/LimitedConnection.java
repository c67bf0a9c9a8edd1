package dev.komainu.central.limit;

import dev.komainu.central.limit.LimitedConnections.Stage;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client. Its stages are moved by the thread that processes its request; the
 * other fields are guarded by the lock of {@link LimitedConnections}.
 */
public final class LimitedConnection {

    private final LimitedConnections all;
    private final @Nullable Object address;
    private final LimitedConnections.Cut cutter;

    private @Nullable Stage stage;
    private long since;
    private boolean inBody;
    private @Nullable String caller;
    private volatile @Nullable Refusal cutFor;

    LimitedConnection(
            LimitedConnections all,
            @Nullable Object address,
            LimitedConnections.Cut cutter,
            long since) {
        this.all = all;
        this.address = address;
        this.cutter = cutter;
        this.since = since;
    }

    /**
     * Returns what counts as one client in the connection's stage: the caller of the last request
     * between two requests, otherwise the network; null for a trusted proxy.
     */
    @Nullable
    Object client() {
        return stage == Stage.CALLER_IDLE ? caller : address;
    }

    LimitedConnections.Cut cutter() {
        return cutter;
    }

    @Nullable
    Stage stage() {
        return stage;
    }

    long since() {
        return since;
    }

    boolean inBody() {
        return inBody;
    }

    void enter(Stage next, long now) {
        stage = next;
        since = now;
    }

    void leave() {
        stage = null;
    }

    void cut(Refusal reason) {
        cutFor = reason;
    }

    /** Returns the reason for which the connection was cut; null when it was not. */
    public @Nullable Refusal cutFor() {
        return cutFor;
    }

    /** Begins the next request: its first bytes are there. */
    void requestBegins() {
        if (stage == Stage.OPENED || stage == Stage.IDLE || stage == Stage.CALLER_IDLE) {
            all.move(this, Stage.PROCESSING);
        }
    }

    /** Notes that no thread processes the connection: its request is not complete. */
    void waits() {
        if (stage != Stage.UNFINISHED) {
            inBody = false;
            all.move(this, Stage.UNFINISHED);
        }
    }

    /** Notes that no thread processes the connection: all its requests are answered. */
    void idles() {
        inBody = false;
        all.move(this, caller == null ? Stage.IDLE : Stage.CALLER_IDLE);
    }

    /** Notes that the request's head is complete, and whether bytes of its body are missing. */
    public void headComplete(boolean bodyMissing) {
        inBody = bodyMissing;
        caller = null;
        all.move(this, Stage.STRANGER);
    }

    /**
     * Notes that the request's thread waits for bytes of the body. Only from here on the time is
     * the client's: before, the service may have waited itself, for its database for example.
     */
    public void awaitsBody() {
        if (inBody && stage == Stage.STRANGER) {
            all.move(this, Stage.UNFINISHED);
        }
    }

    /** Notes that the request's body is complete. */
    public void bodyComplete() {
        inBody = false;
        if (stage == Stage.UNFINISHED) {
            all.move(this, Stage.STRANGER);
        }
    }

    /** Notes that the request has an authenticated caller, by the caller's name. */
    public void authenticated(String name) {
        caller = name;
        all.move(this, Stage.CALLER);
    }

    /**
     * Notes that the request is answered.
     *
     * @param bodyMissing whether part of its body may still come
     */
    public void answered(boolean bodyMissing) {
        all.move(this, bodyMissing ? Stage.UNFINISHED : Stage.PROCESSING);
    }
}
