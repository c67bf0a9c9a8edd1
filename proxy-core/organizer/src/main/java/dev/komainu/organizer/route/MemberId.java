package dev.komainu.organizer.route;

import java.util.regex.Pattern;

/**
 * The name of a member, in the form of a DNS label (RFC 1035 section 2.3.1, in lower case). It is
 * used in headers, grants and tables.
 *
 * @param text 1 to 63 of a-z, 0-9 and inner hyphens
 */
public record MemberId(String text) implements Comparable<MemberId> {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    /**
     * Validates the name.
     *
     * @throws IllegalArgumentException naming the text and the expected form
     */
    public MemberId {
        if (!LABEL.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    (text.length() > 100 ? text.substring(0, 100) + "…" : text)
                            + " (expected: 1 to 63 of a-z, 0-9, and hyphens inside)");
        }
    }

    @Override
    public int compareTo(MemberId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
