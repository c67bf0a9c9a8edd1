package dev.komainu.organizer.route;

import java.util.Locale;

/** The state of a member's own server. */
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
