package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queries for single records, which every store has. Any thread. */
interface RecordQueries extends ConnectionRows {

    /** Returns a page of exchanges, newest first. */
    StoredPage<ProxyExchange> exchanges(ExchangeQuery query);

    /** Returns a connection by the key of its list entry. */
    Optional<StoredRecord<ConnectionRecord>> connection(String key);

    /**
     * Returns facts of a kind, oldest first.
     *
     * @param subject name of a node or service; absent: all
     */
    <T extends TelemetryRecord> List<T> facts(
            int kind, @Nullable String subject, TimeRange range, Class<T> type);
}
