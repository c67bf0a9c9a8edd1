package dev.komainu.telemetry.record;

/** One fact on its way from a source (agent, proxy or organizer) to the central service. */
public sealed interface TelemetryRecord
        permits ConnectionRecord,
                ServiceWindow,
                HostSample,
                ServiceSighting,
                ProxyExchange,
                ProxyWindow,
                SourceStatus,
                AccessLogWindow,
                OrderOutcome,
                ClusterView {

    /**
     * When this fact ended or was taken, in microseconds since the epoch: the store files it under
     * this instant.
     */
    long atMicros();
}
