package dev.komainu.intermediary.buffer;

/** Who decides how much of a connection's bytes may wait in the kernel. */
public enum BufferScheme {
    /** The kernel, by its autotuning. */
    KERNEL("kernel"),
    /** 16 KB each way for everybody, as systems had it when DRM was written. */
    FIXED("fixed"),
    /** A share of one budget, by what its path can carry (E²-ATBT). */
    EQUATION("equation");

    private final String text;

    BufferScheme(String text) {
        this.text = text;
    }

    /** As it is written in settings. */
    public String text() {
        return text;
    }

    /** @throws IllegalArgumentException naming the text and what was expected */
    public static BufferScheme parse(String text) {
        for (BufferScheme scheme : values()) {
            if (scheme.text.equals(text)) {
                return scheme;
            }
        }
        throw new IllegalArgumentException(text + " (expected: kernel, fixed or equation)");
    }
}
