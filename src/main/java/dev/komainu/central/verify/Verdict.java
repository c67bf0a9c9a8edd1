package dev.komainu.central.verify;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The verdict of a comparison, on one index or on the whole. */
public enum Verdict {
    IMPROVED,
    UNCHANGED,
    WORSE,
    INCONCLUSIVE;

    @JsonValue
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the verdict of a label.
     *
     * @throws IllegalArgumentException when there is no such verdict
     */
    @JsonCreator
    public static Verdict ofLabel(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}
