package dev.komainu.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The key that a misspelt one most likely means. */
final class NearestKey {

    private NearestKey() {}

    /**
     * Finds the known key with the fewest insertions, deletions and replacements; at most a quarter
     * of the key's characters.
     */
    static Optional<String> of(String key, Collection<String> known) {
        return known.stream()
                .filter(one -> Math.abs(one.length() - key.length()) <= key.length() / 4)
                .min(Comparator.comparingInt(one -> distance(key, one)))
                .filter(one -> distance(key, one) <= Math.max(1, key.length() / 4));
    }

    /** Returns the Levenshtein distance. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
