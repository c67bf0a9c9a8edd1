package dev.komainu.proxy.cache;

import java.util.Locale;

/** The division of the cache between responses with priority and the others (spec section 3). */
public enum PartitionMode {
    /** One pool. */
    SINGLE,
    /**
     * Directory priority, the paper's basic method: the protected pool only grows. For comparison.
     */
    BASIC,
    /**
     * The paper's proposal: the size of the protected pool follows the unreferenced bytes of each
     * pool.
     */
    PARTITION;

    /** Returns the mode as written in settings and on pages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses a setting's value.
     *
     * @throws IllegalArgumentException with the text and the possible values
     */
    public static PartitionMode parse(String text) {
        for (PartitionMode mode : values()) {
            if (mode.text().equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(text + " (expected: single, basic or partition)");
    }
}
