package dev.komainu.proxy.connection;

/**
 * The threshold of a shortage: it starts with {@code begin} percent of the limit in use, and ends
 * with {@code end} percent.
 *
 * @param beginPercent 1 to 100
 * @param endPercent 0 to {@code beginPercent}
 */
public record ShortageThreshold(int beginPercent, int endPercent) {

    /**
     * Reads {@code BEGIN-END}, such as 90-85.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    public static ShortageThreshold parse(String text) {
        int dash = text.indexOf('-');
        try {
            ShortageThreshold threshold = new ShortageThreshold(
                    Integer.parseInt(text.substring(0, Math.max(0, dash)).strip()),
                    Integer.parseInt(text.substring(dash + 1).strip()));
            if (threshold.isSound()) {
                return threshold;
            }
        } catch (NumberFormatException e) {
            // reported below
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

    /**
     * Reports whether the resource is short now.
     *
     * @param before whether it was short before
     */
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

    /** Returns the amount that must be freed to end the shortage. */
    long excess(ResourceUse now) {
        return Math.max(0, (long) Math.ceil(now.used() - end(now)));
    }
}
