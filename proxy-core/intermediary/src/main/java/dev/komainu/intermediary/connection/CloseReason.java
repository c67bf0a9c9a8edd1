package dev.komainu.intermediary.connection;

/** The reason why the proxy closed an idle connection. */
public enum CloseReason {
    /** The connection was idle for longer than the idle time. */
    TIME("time"),
    /** {@code connections.max} was reached, and a new connection took its place. */
    NEWCOMER("newcomer"),
    /** The named resource ran short. */
    DESCRIPTORS("descriptors"),
    SOCKET_MEMORY("socket-memory"),
    PORTS("ports"),
    BUFFERS("buffers"),
    BUFFER_BUDGET("buffer-budget"),
    CLIENTS("clients");

    private final String text;

    CloseReason(String text) {
        this.text = text;
    }

    /** Returns the name in settings and metrics. */
    public String text() {
        return text;
    }

    /** Reports whether connections of this side can be closed for this reason. */
    public boolean concerns(ConnectionSide side) {
        return switch (this) {
            case PORTS -> side == ConnectionSide.ORIGIN;
            // For a new connection, those to origins too when connections.max covers both sides.
            case NEWCOMER, CLIENTS, TIME, DESCRIPTORS, SOCKET_MEMORY, BUFFERS, BUFFER_BUDGET ->
                true;
        };
    }

    /** Reports whether the reason is a resource that can run short. */
    public boolean isShortage() {
        return this != TIME && this != NEWCOMER;
    }
}
