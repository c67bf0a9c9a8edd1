package dev.komainu.proxy.connection;

/**
 * When a resource counts as short: from {@code begin} percent of its limit in use, until no more
 * than {@code end} percent are.
 *
 * @param beginPercent 1 to 100
 * @param endPercent 0 to {@code beginPercent}
 */
public record ShortageThreshold(int beginPercent, int endPercent) {

    /**
     * Reads {@code BEGIN-END}, such as 90-85.
     *
     * @throws IllegalArgumentException naming the text and what was expected
     */
    public static ShortageThreshold parse(String text) {
        int dash = text.indexOf('-');
        try {
            ShortageThreshold read = new ShortageThreshold(
                    Integer.parseInt(text.substring(0, Math.max(0, dash)).strip()),
                    Integer.parseInt(text.substring(dash + 1).strip()));
            if (read.isSound()) {
                return read;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new IllegalArgumentException(
                text + " (expected: BEGIN-END in percent, such as 90-85)");
    }

    boolean isSound() {
        return beginPercent >= 1
                && beginPercent <= 100
                && endPercent >= 0
                && endPercent <= beginPercent;
    }

    /** Whether it is short now. @param before whether it was */
    boolean isShort(ResourceUse now, boolean before) {
        if (!now.isKnown()) {
            return false;
        }
        return before ? now.used() > end(now) : now.used() >= begin(now);
    }

    private double begin(ResourceUse now) {
        return beginPercent / 100.0 * now.limit();
    }

    private double end(ResourceUse now) {
        return endPercent / 100.0 * now.limit();
    }

    /** What must be freed for it to be short no more. */
    long excess(ResourceUse now) {
        return Math.max(0, (long) Math.ceil(now.used() - end(now)));
    }
}
