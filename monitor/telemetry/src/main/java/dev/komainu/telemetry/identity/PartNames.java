package dev.komainu.telemetry.identity;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The names in which a part reports.
 *
 * @param source first part of its batches' names
 * @param node name of its host; a probe may have none
 */
public record PartNames(Kind kind, String source, @Nullable String node) {

    /** The kinds of parts. */
    public enum Kind {
        AGENT,
        /** An agent that only reads packets, at a mirror port. */
        PROBE,
        PROXY,
        ORGANIZER;

        /** Returns the name that requests and certificates contain. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
