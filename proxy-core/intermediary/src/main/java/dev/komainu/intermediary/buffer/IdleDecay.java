package dev.komainu.intermediary.buffer;

/** What becomes of the share that an idle connection has, under {@link BufferScheme#EQUATION}. */
public enum IdleDecay {
    /** It keeps it. */
    OFF("off"),
    /** It halves every 3 s, down to 1 KB (DRM 3.1). */
    ON("on"),
    /**
     * As {@link #ON}; and while somebody wants more than there is for him, it is 1 KB within a
     * second.
     */
    PRESSED("pressed");

    private final String text;

    IdleDecay(String text) {
        this.text = text;
    }

    /** Whether time makes it less. */
    boolean decays() {
        return this != OFF;
    }

    /**
     * {@code off}, {@code on} and {@code pressed}; a boolean's other names too, which YAML may make
     * of the first two.
     *
     * @throws IllegalArgumentException naming the text and what was expected
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
