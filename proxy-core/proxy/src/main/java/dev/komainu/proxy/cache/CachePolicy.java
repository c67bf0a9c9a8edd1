package dev.komainu.proxy.cache;

import java.util.Locale;

/** What decides which entries stay when there is no room for all. */
public enum CachePolicy {
    /**
     * Keeps what is asked for often: a newcomer stays only when it was seen more often than what
     * would go for it.
     */
    W_TINYLFU,
    /** Keeps what was asked for last, as the paper's cache did (spec section 1): for comparison. */
    LRU;

    /** As settings and pages write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException naming what there is */
    public static CachePolicy parse(String text) {
        for (CachePolicy policy : values()) {
            if (policy.text().equals(text)) {
                return policy;
            }
        }
        throw new IllegalArgumentException(text + " (expected: w-tinylfu or lru)");
    }
}
