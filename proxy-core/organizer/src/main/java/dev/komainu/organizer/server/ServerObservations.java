package dev.komainu.organizer.server;

import dev.komainu.organizer.route.ServerState;

/**
 * What connection checks, requests and the monitor have observed of a server beside this organizer,
 * from which its {@link ServerState} is derived. Immutable.
 *
 * <p>A refused connection means that no program listens: stopped at once. A connection that is not
 * answered may find a full accept queue: saturated, and stopped after three in a row. One answer
 * ends either. The monitor is a third source: it can have a server that answers avoided, but it
 * cannot have one asked that does not answer.
 *
 * <p>This is not the health of {@code intermediary.upstream}, which decides whether a pool may use
 * one of several servers now: that has two states, is driven by failed requests, and lets a server
 * back by itself when its ejection time is over. Here there are three states and no time: a member
 * announces the state of its server to other members, and only what is observed next changes it.
 *
 * @param silent connections without an answer, in a row
 * @param told what the monitor says; up: nothing
 */
record ServerObservations(boolean refused, int silent, ServerState told) {

    static final ServerObservations GOOD = new ServerObservations(false, 0, ServerState.UP);
    private static final int SILENT_STOPS = 3;

    /** What a connection check or a request met. */
    enum Met {
        ANSWER,
        REFUSAL,
        SILENCE
    }

    ServerObservations after(Met met) {
        return switch (met) {
            case ANSWER -> new ServerObservations(false, 0, told);
            case REFUSAL -> new ServerObservations(true, 0, told);
            case SILENCE ->
                new ServerObservations(refused, Math.min(silent + 1, SILENT_STOPS), told);
        };
    }

    ServerObservations hearing(ServerState said) {
        return new ServerObservations(refused, silent, said);
    }

    ServerState state() {
        if (refused || silent >= SILENT_STOPS) {
            return ServerState.STOPPED;
        }
        if (silent > 0) {
            return ServerState.SATURATED;
        }
        // The monitor may see more, such as a process that hangs behind a kernel that still takes
        // connections, or less. So a server that it calls stopped is asked where no other can be,
        // and not left out.
        return told == ServerState.STOPPED ? ServerState.SATURATED : told;
    }
}
