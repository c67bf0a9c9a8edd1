package dev.komainu.telemetry.record;

/**
 * The permanent name of a batch: a batch sent twice is stored once.
 *
 * @param source the sender's stable name, such as {@code agent@web-01}
 * @param epoch start of the sender's process in microseconds: its sequences start at 1
 * @param sequence 1, 2, 3 … within the epoch
 */
public record BatchId(String source, long epoch, long sequence) {

    /**
     * Parses the text of {@link #toString}; the source may contain slashes.
     *
     * @throws IllegalArgumentException naming the text and the expected form
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
