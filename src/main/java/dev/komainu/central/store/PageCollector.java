package dev.komainu.central.store;

import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rows of a result that make a page, within a number of records and of bytes. One thread. */
final class PageCollector<T extends TelemetryRecord> {

    private final int limit;
    private final int mostBytes;
    private final Class<T> type;
    private final List<StoredRecord<T>> items = new ArrayList<>();
    private long bytes;
    private boolean more;

    /**
     * Creates an empty page.
     *
     * @param limit maximum number of records
     * @param mostBytes maximum bytes of bodies; one record may have any size
     */
    PageCollector(int limit, int mostBytes, Class<T> type) {
        this.limit = limit;
        this.mostBytes = mostBytes;
        this.type = type;
    }

    /**
     * Adds the next row.
     *
     * @return false when it does not fit; then the page is complete
     */
    boolean add(RecordPosition position, String source, byte[] body)
            throws MalformedBatchException {
        bytes += body.length;
        if (items.size() == limit || (bytes > mostBytes && !items.isEmpty())) {
            more = true;
            return false;
        }
        decode(body, type)
                .ifPresent(record ->
                        items.add(new StoredRecord<>(position.toString(), source, record)));
        return true;
    }

    StoredPage<T> page() {
        return new StoredPage<>(items, more ? items.getLast().key() : null);
    }

    /** Decodes a record; empty when a newer version wrote a kind that this one does not know. */
    static <T extends TelemetryRecord> Optional<T> decode(byte[] body, Class<T> type)
            throws MalformedBatchException {
        return RecordCodec.decode(body).filter(type::isInstance).map(type::cast);
    }
}
