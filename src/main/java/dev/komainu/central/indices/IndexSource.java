package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The source of a figure: packets, the kernel, Komainu's proxy, or a configuration. */
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
