package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code Source} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record SourceView(
        String name,
        String kind,
        String node,
        String version,
        String status,
        Instant started,
        Instant lastSeen,
        long residentBytes,
        double cpuCores,
        List<String> watching,
        List<SourceStatus.Drops> drops,
        List<SourceStatus.Trouble> troubles,
        @Nullable String credential) {

    static SourceView of(SourceProfile source, ReportingCredentials credentials) {
        SourceStatus status = source.status();
        return new SourceView(
                source.name(),
                status.kind().name().toLowerCase(Locale.ROOT),
                status.node(),
                status.version(),
                source.silent() ? "silent" : "reporting",
                Instant.ofEpochMilli(status.startedMicros() / 1_000),
                Instant.ofEpochMilli(source.lastSeenMicros() / 1_000),
                status.use().residentBytes(),
                status.use().cpuCores(),
                status.watching(),
                status.drops(),
                status.troubles(),
                credentials.of(source.name()));
    }
}
