package dev.komainu.telemetry.record;

import java.util.regex.Pattern;

/**
 * A label of a service, such as {@code team=shop}. Services with an equal label form a group.
 *
 * <pre>
 * key     a lower-case letter, then letters, digits and . _ / -   1 to {@value #MOST_CHARS} characters
 * value   a letter or digit of any script, then also . _ : @ / + -  1 to {@value #MOST_CHARS} characters
 * </pre>
 */
public record Label(String key, String value) {

    /** Longest key, and longest value. */
    public static final int MOST_CHARS = 63;

    /** Labels of one service, from all origins together. */
    public static final int MOST_OF_A_SERVICE = 20;

    /** The form of a label in words. */
    public static final String FORM = "KEY=VALUE, each 1 to " + MOST_CHARS
            + " characters: the key of a-z, 0-9 and . _ / -, the value of letters, digits and . _ : @ / + -";

    private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9._/-]{0,62}");
    private static final Pattern VALUE =
            Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._:@/+-]{0,62}");

    public static boolean isKey(String text) {
        return KEY.matcher(text).matches();
    }

    public static boolean isValue(String text) {
        return VALUE.matcher(text).matches();
    }

    /** Reports whether key and value have the form of a label. */
    public boolean isWellFormed() {
        return isKey(key) && isValue(value);
    }

    /**
     * Parses {@code KEY=VALUE}.
     *
     * @throws IllegalArgumentException naming the text and the expectation
     */
    public static Label parse(String text) {
        int at = text.indexOf('=');
        if (at > 0) {
            Label label = new Label(text.substring(0, at), text.substring(at + 1));
            if (label.isWellFormed()) {
                return label;
            }
        }
        throw new IllegalArgumentException(text + " (expected: " + FORM + ")");
    }

    /** Returns {@code KEY=VALUE}. */
    @Override
    public String toString() {
        return key + "=" + value;
    }
}
