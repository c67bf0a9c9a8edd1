package dev.komainu.organizer.server;

import dev.komainu.organizer.route.ServerState;

/**
 * What looks at a server, and requests to it, say about its state. Immutable.
 *
 * <p>A refusal means that nobody listens: stopped at once. No answer to a connection may be a full accept queue: saturated, and
 * stopped after three in a row. One answer ends either. What a monitor says is a third source, {@link #told}: it can have a server that answers avoided, and none that
 * does not asked.
 *
 * @param silent looks without an answer, in a row
 * @param told what somebody who sees more says; up: nothing
 */
record ServerHealth(boolean refused, int silent, ServerState told) {

    static final ServerHealth GOOD = new ServerHealth(false, 0, ServerState.UP);
    private static final int SILENT_STOPS = 3;

    /** What a look, or a request, met. */
    enum Met {
        ANSWER,
        REFUSAL,
        SILENCE
    }

    ServerHealth after(Met met) {
        return switch (met) {
            case ANSWER -> new ServerHealth(false, 0, told);
            case REFUSAL -> new ServerHealth(true, 0, told);
            case SILENCE -> new ServerHealth(refused, Math.min(silent + 1, SILENT_STOPS), told);
        };
    }

    ServerHealth hearing(ServerState said) {
        return new ServerHealth(refused, silent, said);
    }

    ServerState state() {
        if (refused || silent >= SILENT_STOPS) {
            return ServerState.STOPPED;
        }
        if (silent > 0) {
            return ServerState.SATURATED;
        }
        // Whoever says that it is stopped may see more: a process that hangs behind a kernel that still takes
        // connections. Or
        // less. So it is asked where nobody else can be, and not left out.
        return told == ServerState.STOPPED ? ServerState.SATURATED : told;
    }
}
