package dev.komainu.telemetry.record;

/** One fact sent from a source (agent, proxy or organizer) to the central service. */
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
                ClusterView,
                WindowParts {

    /**
     * Returns the time at which this fact ended or was observed, in microseconds since the epoch.
     * The store files it under this time.
     */
    long atMicros();
}
