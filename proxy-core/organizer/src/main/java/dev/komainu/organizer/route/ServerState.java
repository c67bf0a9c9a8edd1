package dev.komainu.organizer.route;

import java.util.Locale;

/** How a member's own server does. */
public enum ServerState {
    /** It answers. */
    UP,
    /** It answers, but has more to do than it can: asked only where nobody else can. */
    SATURATED,
    /** It does not answer: not asked. */
    STOPPED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
