package dev.komainu.central.incident;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** A dependency between two services: the client sends requests to the server. */
public record ServiceLink(String client, String server, Basis basis) {

    /** The kinds of knowledge of a dependency. The stronger comes first. */
    public enum Basis {
        /** Packets between the two were seen. */
        MEASURED,
        /** The client's configuration names the server, among others or without traffic. */
        CONFIGURED;

        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns what is known of a chain of two dependencies. */
        Basis and(Basis other) {
            return compareTo(other) >= 0 ? this : other;
        }

        /** Returns the stronger of two statements about one dependency. */
        Basis or(Basis other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }
}
