package dev.komainu.organizer.server;

import dev.komainu.organizer.route.ServerState;

/**
 * The observations of connection checks, requests and the monitor about a server of this member.
 * Its {@link ServerState} is derived from them. Immutable.
 *
 * <p>A refused connection means that no program listens: the server is stopped at once. A
 * connection attempt without a response may have found a full accept queue: the server is
 * saturated, and stopped after three in a row. One response ends either state. The monitor is a
 * third source: requests can avoid a server that responds, but the monitor cannot direct requests
 * to a server that does not respond.
 *
 * <p>This is not the health of {@code intermediary.upstream}. That health decides whether a pool
 * may use one of several servers now: it has two states, depends on failed requests, and readmits a
 * server when its ejection time is over. Here there are three states and no time: a member
 * announces the state of its server to other members, and only the next observation changes it.
 *
 * @param silent connection attempts without a response, in a row
 * @param monitorState the state that the monitor reports; {@code UP}: no finding
 */
record ServerObservations(boolean refused, int silent, ServerState monitorState) {

    static final ServerObservations GOOD = new ServerObservations(false, 0, ServerState.UP);
    private static final int SILENT_STOPS = 3;

    /** The result of a connection check or a request. */
    enum Observation {
        ANSWER,
        REFUSAL,
        SILENCE
    }

    ServerObservations after(Observation observation) {
        return switch (observation) {
            case ANSWER -> new ServerObservations(false, 0, monitorState);
            case REFUSAL -> new ServerObservations(true, 0, monitorState);
            case SILENCE ->
                new ServerObservations(refused, Math.min(silent + 1, SILENT_STOPS), monitorState);
        };
    }

    ServerObservations withMonitorState(ServerState state) {
        return new ServerObservations(refused, silent, state);
    }

    ServerState state() {
        if (refused || silent >= SILENT_STOPS) {
            return ServerState.STOPPED;
        }
        if (silent > 0) {
            return ServerState.SATURATED;
        }
        // The monitor may detect more, such as a process that hangs while the kernel still accepts
        // connections, or less. So a server that the monitor reports as stopped receives requests
        // when no other server can, and is not excluded.
        return monitorState == ServerState.STOPPED ? ServerState.SATURATED : monitorState;
    }
}
