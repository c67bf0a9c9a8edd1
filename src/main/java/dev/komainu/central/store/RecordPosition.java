package dev.komainu.central.store;

/**
 * The position of a record in the order "newest first": its instant, then its key. Its text form
 * has both in base 36.
 */
record RecordPosition(long atMicros, long key) {

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException when the text is not a position
     */
    static RecordPosition parse(String text) {
        int dash = text.indexOf('_');
        try {
            if (dash > 0) {
                return new RecordPosition(
                        Long.parseLong(text.substring(0, dash), 36),
                        Long.parseLong(text.substring(dash + 1), 36));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "key: " + text + " (expected: a key that the store returned)", e);
        }
        throw new IllegalArgumentException(
                "key: " + text + " (expected: a key that the store returned)");
    }

    @Override
    public String toString() {
        return Long.toString(atMicros, 36) + "_" + Long.toString(key, 36);
    }
}
