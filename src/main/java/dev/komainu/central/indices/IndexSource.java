package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Where a figure was seen: outside, inside, by our own proxy, or told by a configuration. */
public enum IndexSource {
    PACKETS,
    KERNEL,
    PROXY,
    /** The server's own access log. */
    LOG,
    DISCOVERY,
    CONFIGURATION;

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
