package dev.komainu.central.label;

import dev.komainu.telemetry.record.Label;
import java.util.Locale;

/**
 * One label of a service, with its origin.
 *
 * @param source of a label set by hand the user, of a rule its id, of an agent its setting, of
 *     discovery the place where it was read
 */
public record ServiceLabel(Label label, Origin origin, String source) {

    /** The origins of labels, the one with the highest precedence first. */
    public enum Origin {
        /** A user set it for this service. */
        HAND,
        /** The settings of the agent beside the server. */
        AGENT,
        /** A rule of the central service. */
        RULE,
        /** Discovery by the agent: unit, container, virtual host. */
        DISCOVERY;

        /** Returns the name in the API: lower case. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public String key() {
        return label.key();
    }

    public String value() {
        return label.value();
    }
}
