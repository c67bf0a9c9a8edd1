package dev.komainu.organizer.service;

/** A range of ports to listen at, both ends included; {@link #ANY}: the kernel selects a port. */
public record PortRange(int first, int last) {

    public static final PortRange ANY = new PortRange(0, 0);

    /**
     * Validates the range.
     *
     * @throws IllegalArgumentException naming the expected form
     */
    public PortRange {
        if ((first != 0 || last != 0) && (first < 1024 || last < first || last > 65_535)) {
            throw new IllegalArgumentException(
                    first + "-" + last + " (expected: FIRST-LAST of 1024 to 65535)");
        }
    }

    /**
     * Parses {@code 50000-50099}.
     *
     * @throws IllegalArgumentException naming the text and the expected form
     */
    public static PortRange parse(String text) {
        if (!text.matches("[0-9]{1,5}-[0-9]{1,5}")) {
            throw new IllegalArgumentException(text + " (expected: FIRST-LAST of 1024 to 65535)");
        }
        int dash = text.indexOf('-');
        return new PortRange(
                Integer.parseInt(text.substring(0, dash)),
                Integer.parseInt(text.substring(dash + 1)));
    }

    int size() {
        return last - first + 1;
    }
}
