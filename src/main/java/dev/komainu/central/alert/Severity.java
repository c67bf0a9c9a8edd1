package dev.komainu.central.alert;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The severity of an alert; the most severe first. */
public enum Severity {
    CRITICAL,
    WARNING,
    INFO;

    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Severity> of(String text) {
        return Arrays.stream(values())
                .filter(severity -> severity.text().equals(text))
                .findFirst();
    }

    @JsonCreator
    static Severity ofText(String text) {
        return of(text).orElseThrow(() -> new IllegalArgumentException(
                "severity: " + text + " (expected: critical, warning or info)"));
    }

    boolean isMoreSevereThan(Severity other) {
        return ordinal() < other.ordinal();
    }
}
