package dev.komainu.agent.settings;

/**
 * A value as it was given.
 *
 * @param text as written; lists joined by commas
 * @param place {@code --option}, {@code $VARIABLE}, {@code FILE:LINE}, or {@code default}
 */
record Given(String text, String place) {

    /** {@code name: value in place (expected: …)}. */
    String problem(String name, String expected) {
        return name + ": " + (text.isEmpty() ? "(empty)" : text) + " in " + place + " (expected: " + expected + ")";
    }
}
