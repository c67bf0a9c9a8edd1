package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A writer that fills a batch record by record, so that its sender knows its size before it is
 * closed. Belongs to one thread; can be reused after {@link #finish}.
 */
public final class BatchWriter {

    /** The field of a batch that contains a record. */
    static final int RECORD = 4;

    private final FieldWriter records = new FieldWriter();
    private int count;

    /** Appends a record. */
    public void add(TelemetryRecord record) {
        try {
            records.message(RECORD, record, KindFields::write);
            count++;
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
    }

    /** Returns the records added since the last {@link #finish}. */
    public int count() {
        return count;
    }

    /** Returns the bytes of these records before compression. */
    public int size() {
        return records.size();
    }

    /**
     * Closes the batch under a name, returns the compressed bytes as they are sent, and resets the
     * writer.
     */
    public byte[] finish(BatchId id) {
        return Compression.compress(finishPlain(id));
    }

    byte[] finishPlain(BatchId id) {
        FieldWriter head = new FieldWriter();
        try {
            head.text(1, id.source());
            head.int64(2, id.epoch());
            head.int64(3, id.sequence());
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        }
        byte[] first = head.take();
        byte[] rest = records.take();
        count = 0;
        byte[] all = new byte[first.length + rest.length];
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(rest, 0, all, first.length, rest.length);
        return all;
    }
}
