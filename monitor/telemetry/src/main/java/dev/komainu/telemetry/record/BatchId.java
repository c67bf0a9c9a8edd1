package dev.komainu.telemetry.record;

/**
 * Names a batch for ever: a batch sent twice is stored once.
 *
 * @param source the sender's stable name, such as {@code agent@web-01}
 * @param epoch start of the sender's process in microseconds: sequences begin anew with it
 * @param sequence 1, 2, 3 … within the epoch
 */
public record BatchId(String source, long epoch, long sequence) {

    /**
     * Reads {@link #toString} back; the source may hold slashes itself.
     *
     * @throws IllegalArgumentException naming the text and what was expected
     */
    public static BatchId parse(String text) {
        int last = text.lastIndexOf('/');
        int middle = last < 1 ? -1 : text.lastIndexOf('/', last - 1);
        try {
            if (middle > 0) {
                return new BatchId(
                        text.substring(0, middle),
                        Long.parseLong(text.substring(middle + 1, last)),
                        Long.parseLong(text.substring(last + 1)));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "batch: " + text + " (expected: SOURCE/EPOCH/SEQUENCE)", e);
        }
        throw new IllegalArgumentException("batch: " + text + " (expected: SOURCE/EPOCH/SEQUENCE)");
    }

    @Override
    public String toString() {
        return source + "/" + epoch + "/" + sequence;
    }
}
