package dev.komainu.proxy.cache;

import java.util.Locale;

/** The eviction policy of the cache. */
public enum CachePolicy {
    /**
     * Keeps frequently used entries: a new entry stays only when it was seen more often than the
     * entries it would replace.
     */
    W_TINYLFU,
    /**
     * Keeps the most recently used entries, as the paper's cache did (spec section 1): for
     * comparison.
     */
    LRU;

    /** Returns the policy as written in settings and on pages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Parses a setting's value.
     *
     * @throws IllegalArgumentException with the text and the possible values
     */
    public static CachePolicy parse(String text) {
        for (CachePolicy policy : values()) {
            if (policy.text().equals(text)) {
                return policy;
            }
        }
        throw new IllegalArgumentException(text + " (expected: w-tinylfu or lru)");
    }
}
