package dev.komainu.central.store;

/**
 * The position of a record in the order "newest first": its instant, then its key. As text: both in
 * base 36.
 */
record RecordPosition(long atMicros, long key) {

    /** @throws IllegalArgumentException when the text is no place */
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
                    "key: " + text + " (expected: one that the store gave)", e);
        }
        throw new IllegalArgumentException("key: " + text + " (expected: one that the store gave)");
    }

    @Override
    public String toString() {
        return Long.toString(atMicros, 36) + "_" + Long.toString(key, 36);
    }
}
