package dev.komainu.telemetry.record;

/**
 * Names a batch for ever: a batch sent twice is stored once.
 *
 * @param source the sender's stable name, such as {@code agent@web-01}
 * @param epoch start of the sender's process in microseconds: sequences begin anew with it
 * @param sequence 1, 2, 3 … within the epoch
 */
public record BatchId(String source, long epoch, long sequence) {

    @Override
    public String toString() {
        return source + "/" + epoch + "/" + sequence;
    }
}
