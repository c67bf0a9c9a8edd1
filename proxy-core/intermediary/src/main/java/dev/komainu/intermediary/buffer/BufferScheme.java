package dev.komainu.intermediary.buffer;

/** The rule for the number of a connection's bytes that may wait in the kernel. */
public enum BufferScheme {
    /** The kernel's autotuning. */
    KERNEL("kernel"),
    /** 16 KB in each direction for every connection, as systems had it when DRM was written. */
    FIXED("fixed"),
    /** A share of one budget by the capacity of the path (E²-ATBT). */
    EQUATION("equation");

    private final String text;

    BufferScheme(String text) {
        this.text = text;
    }

    /** Returns the name in settings. */
    public String text() {
        return text;
    }

    /**
     * Parses a name in settings.
     *
     * @throws IllegalArgumentException with the text and the expected names
     */
    public static BufferScheme parse(String text) {
        for (BufferScheme scheme : values()) {
            if (scheme.text.equals(text)) {
                return scheme;
            }
        }
        throw new IllegalArgumentException(text + " (expected: kernel, fixed or equation)");
    }
}
