package dev.komainu.proxy.cache;

import java.util.Locale;

/** How the cache is divided between what has priority and the rest (spec section 3). */
public enum PartitionMode {
    /** Not at all. */
    SINGLE,
    /**
     * Directory priority, the paper's basic method: the protected pool only grows. For comparison.
     */
    BASIC,
    /**
     * The paper's proposal: the protected pool's size follows what each pool leaves unreferenced.
     */
    PARTITION;

    /** As settings and pages write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException naming what there is */
    public static PartitionMode parse(String text) {
        for (PartitionMode mode : values()) {
            if (mode.text().equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(text + " (expected: single, basic or partition)");
    }
}
