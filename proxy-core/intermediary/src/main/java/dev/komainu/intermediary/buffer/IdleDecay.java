package dev.komainu.intermediary.buffer;

/** The rule for the share of an idle connection, under {@link BufferScheme#EQUATION}. */
public enum IdleDecay {
    /** The connection keeps its share. */
    OFF("off"),
    /** The share halves every 3 s, down to 1 KB (DRM 3.1). */
    ON("on"),
    /**
     * As {@link #ON}; in addition the share falls to 1 KB within a second while demands exceed the
     * budget.
     */
    PRESSED("pressed");

    private final String text;

    IdleDecay(String text) {
        this.text = text;
    }

    /** Reports whether the share decreases with time. */
    boolean decays() {
        return this != OFF;
    }

    /**
     * Parses {@code off}, {@code on} and {@code pressed}, and the other names of a boolean, because
     * YAML may convert the first two.
     *
     * @throws IllegalArgumentException with the text and the expected names
     */
    public static IdleDecay parse(String text) {
        return switch (text) {
            case "false", "no" -> OFF;
            case "true", "yes" -> ON;
            default -> {
                for (IdleDecay decay : values()) {
                    if (decay.text.equals(text)) {
                        yield decay;
                    }
                }
                throw new IllegalArgumentException(text + " (expected: off, on or pressed)");
            }
        };
    }
}
