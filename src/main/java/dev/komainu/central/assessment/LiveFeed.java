package dev.komainu.central.assessment;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.indices.HostSampleLookup;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.ingest.BatchListener;
import dev.komainu.central.union.ServiceUnions;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import java.time.Clock;

/**
 * The transfer of stored batches into memory: the fleet receives sightings and status, the rings
 * receive measurements. Any thread.
 */
public final class LiveFeed implements BatchListener {

    /**
     * Only windows of one second go into the rings; longer ones are statistics of a capture file.
     */
    private static final long LIVE_MICROS = 1_000_000;

    private final Fleet fleet;
    private final LiveIndices live;
    private final Clock clock;
    private final ServiceUnions unions;

    public LiveFeed(Fleet fleet, LiveIndices live, Clock clock) {
        this(fleet, live, clock, new ServiceUnions(clock));
    }

    /**
     * Creates a feed.
     *
     * @param unions receive the windows first; the seconds that they settle go into the rings
     */
    public LiveFeed(Fleet fleet, LiveIndices live, Clock clock, ServiceUnions unions) {
        this.unions = unions;
        unions.listen((service, second) -> live.settle(service, second.second(), second.window()));
        live.onClear(unions::clearAfter);
        this.fleet = fleet;
        this.live = live;
        this.clock = clock;
    }

    @Override
    public void stored(Batch batch) {
        String source = batch.id().source();
        for (TelemetryRecord record : batch.records()) {
            accept(source, record);
        }
        unions.settle(source);
        fleet.recordActivity(source);
    }

    private void accept(String source, TelemetryRecord record) {
        if (record instanceof ServiceWindow window) {
            if (window.lengthMicros() <= LIVE_MICROS) {
                String service = fleet.recordWindow(source, window.service(), window.atMicros());
                if (!unions.accept(source, service, window)) {
                    live.accept(source, service, window, clock.millis());
                }
            }
        } else if (record instanceof WindowParts parts) {
            if (parts.lengthMicros() <= LIVE_MICROS && fleet.knows(source, parts.service())) {
                unions.accept(source, fleet.canonical(source, parts.service()), parts);
            }
        } else if (record instanceof ProxyWindow window) {
            live.accept(fleet.recordWindow(source, window.service(), window.atMicros()), window);
        } else if (record instanceof AccessLogWindow window) {
            if (fleet.knows(source, window.service())) {
                live.accept(fleet.canonical(source, window.service()), window);
            }
        } else if (record instanceof HostSample sample) {
            live.accept(
                    source,
                    HostSampleLookup.renamed(sample, name -> fleet.canonical(source, name)));
        } else if (record instanceof ServiceSighting sighting) {
            fleet.sighted(source, sighting);
        } else if (record instanceof SourceStatus status) {
            fleet.reported(source, status);
        } // Connections and exchanges are read from the store.
    }
}
