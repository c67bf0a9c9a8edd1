package dev.komainu.intermediary.connection;

/** Why an idle connection was closed by the proxy. */
public enum CloseReason {
    /** It was idle for longer than idle connections stay. */
    TIME("time"),
    /** {@code connections.max} was reached, and a newcomer got its place. */
    NEWCOMER("newcomer"),
    /** This resource ran short. */
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

    /** As settings and metrics name it. */
    public String text() {
        return text;
    }

    /** Whether connections of this side can be closed for it. */
    public boolean concerns(ConnectionSide side) {
        return switch (this) {
            case PORTS -> side == ConnectionSide.ORIGIN;
            // Origins' for a newcomer's sake where connections.max is of both.
            case NEWCOMER, CLIENTS, TIME, DESCRIPTORS, SOCKET_MEMORY, BUFFERS, BUFFER_BUDGET ->
                true;
        };
    }

    /** Whether it names a resource that can run short. */
    public boolean isShortage() {
        return this != TIME && this != NEWCOMER;
    }
}
