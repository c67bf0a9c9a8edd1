package dev.komainu.organizer.route;

import java.util.Locale;

/**
 * The state of a member's own server. Members send the position of a state in this list: the order
 * is part of the protocol, and a new state comes last.
 */
public enum ServerState {
    /** The server responds. */
    UP,
    /** The server responds, but is overloaded: it receives requests only when no other can. */
    SATURATED,
    /** The server does not respond: it receives no requests. */
    STOPPED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
