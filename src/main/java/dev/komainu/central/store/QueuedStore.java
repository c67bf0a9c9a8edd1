package dev.komainu.central.store;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A store with one writer and queries for single records, whatever the database is. */
abstract class QueuedStore implements RecordStore {

    abstract StoreWriter writer();

    abstract RecordQueries queries();

    /** Returns the pages of connections, each connection once. */
    abstract ConnectionPages pages();

    @Override
    public Outcome append(Batch batch) throws InterruptedException {
        return writer().await(batch);
    }

    @Override
    public Duration backlog() {
        return writer().backlog();
    }

    @Override
    public StoredPage<ConnectionRecord> connections(ConnectionQuery query) {
        return pages().read(query);
    }

    @Override
    public Optional<StoredRecord<ConnectionRecord>> connection(String key) {
        return queries().connection(key);
    }

    @Override
    public StoredPage<ProxyExchange> exchanges(ExchangeQuery query) {
        return queries().exchanges(query);
    }

    @Override
    public List<AccessLogWindow> accessLogWindows(List<String> services, TimeRange range) {
        Map<Long, AccessLogWindow> byStart = new TreeMap<>();
        for (String service : services) {
            queries()
                    .facts(Rows.ACCESS_LOG, service, range, AccessLogWindow.class)
                    .forEach(window -> byStart.put(window.fromMicros(), window));
        }
        return List.copyOf(byStart.values());
    }

    @Override
    public List<ServiceSighting> sightings(TimeRange range) {
        return queries().facts(Rows.SIGHTING, null, range, ServiceSighting.class);
    }

    @Override
    public List<SourceStatus> statuses(TimeRange range) {
        return queries().facts(Rows.STATUS, null, range, SourceStatus.class);
    }
}
