package dev.komainu.central.assessment;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.fleet.RefusedNames.Limit;
import dev.komainu.central.ingest.BatchAdmission;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The check of each batch against the fleet's quotas, before it is stored. A record that would add
 * a name beyond a limit is left out and counted; connections and exchanges add no names to memory.
 * Any thread.
 */
public final class FleetAdmission implements BatchAdmission {

    private final Fleet fleet;
    private final FleetQuotas quotas;
    private final Clock clock;

    public FleetAdmission(Fleet fleet, FleetQuotas quotas, Clock clock) {
        this.fleet = fleet;
        this.quotas = quotas;
        this.clock = clock;
    }

    @Override
    public Batch admit(Batch batch, String credential) throws QuotaException {
        String source = batch.id().source();
        long now = clock.millis() * 1_000;
        if (!quotas.sources().use(source, credential, now)) {
            quotas.refused().add(Limit.SOURCES, source, now);
            throw new QuotaException("source " + source + ": the limit of sources is reached ("
                    + quotas.sources().size() + " of "
                    + quotas.sources().most() + " in all)");
        }
        List<TelemetryRecord> kept = new ArrayList<>(batch.records().size());
        for (TelemetryRecord record : batch.records()) {
            TelemetryRecord admitted = admit(record, source, credential, now);
            if (admitted != null) {
                kept.add(admitted);
            }
        }
        return kept.equals(batch.records()) ? batch : new Batch(batch.id(), kept);
    }

    private @Nullable TelemetryRecord admit(
            TelemetryRecord record, String source, String credential, long now) {
        return switch (record) {
            case ServiceSighting sighting ->
                quotas.areNames(now, texts(sighting))
                                && admitService(source, sighting.service(), credential, now)
                        ? quotas.trimmed(sighting, now)
                        : null;
            case ServiceWindow window ->
                admitService(source, window.service(), credential, now) ? window : null;
            case ProxyWindow window ->
                admitService(source, window.service(), credential, now) ? window : null;
            case AccessLogWindow window ->
                quotas.areNames(now, List.of(window.service())) ? window : null;
            case HostSample sample -> admitHost(sample, credential, now) ? sample : null;
            case SourceStatus status ->
                quotas.areNames(now, List.of(status.node(), status.version())) ? status : null;
            default -> record;
        };
    }

    private static List<String> texts(ServiceSighting sighting) {
        return List.of(
                sighting.service(),
                sighting.name(),
                sighting.kind(),
                Objects.requireNonNullElse(sighting.node(), ""),
                Objects.requireNonNullElse(sighting.version(), ""),
                Objects.requireNonNullElse(sighting.process().program(), ""),
                Objects.requireNonNullElse(sighting.originSideOf(), ""));
    }

    private boolean admitService(String source, String service, String credential, long now) {
        if (!quotas.areNames(now, List.of(service))) {
            return false;
        }
        String id = fleet.canonical(source, service);
        boolean admitted = quotas.services().use(id, credential, now);
        if (!admitted) {
            quotas.refused().add(Limit.SERVICES, id, now);
        }
        return admitted;
    }

    private boolean admitHost(HostSample sample, String credential, long now) {
        if (!quotas.areNames(now, List.of(sample.node()))) {
            return false;
        }
        if (sample.servers().size() > FleetQuotas.MOST_SERVERS_OF_A_HOST) {
            quotas.refused().add(Limit.SERVERS_OF_A_HOST, sample.node(), now);
            return false;
        }
        boolean admitted = quotas.hosts().use(sample.node(), credential, now);
        if (!admitted) {
            quotas.refused().add(Limit.HOSTS, sample.node(), now);
        }
        return admitted;
    }
}
