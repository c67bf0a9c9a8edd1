package dev.komainu.central.api.service;

import dev.komainu.central.store.StoredRecord;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TlsFacts;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Connection} of the contract. */
record ConnectionView(
        String id,
        String client,
        String server,
        Instant start,
        Instant end,
        long durationMicros,
        String state,
        @Nullable Long handshakeMicros,
        @Nullable Long serverRttMicros,
        @Nullable Long clientRttMicros,
        @Nullable Long transferMicros,
        DirectionTotals up,
        DirectionTotals down,
        List<HttpExchange> exchanges,
        @Nullable Tls tls) {

    /** The facts of the TLS handshake. */
    record Tls(
            @Nullable String version,
            @Nullable String sni,
            @Nullable String alpn) {}

    static ConnectionView of(StoredRecord<ConnectionRecord> stored) {
        ConnectionRecord connection = stored.record();
        Handshake handshake = connection.handshake();
        TlsFacts tls = connection.tls();
        return new ConnectionView(
                stored.key(),
                connection.client().toString(),
                connection.server().toString(),
                instant(connection.times().startMicros()),
                instant(connection.times().endMicros()),
                connection.times().durationMicros(),
                connection.state().label(),
                handshake.handshakeMicros(),
                handshake.serverRttMicros(),
                handshake.clientRttMicros(),
                connection.times().transferMicros(),
                connection.up(),
                connection.down(),
                connection.exchanges(),
                tls == null ? null : new Tls(tls.version(), tls.sni(), tls.alpn()));
    }

    /**
     * Returns the slowest T_r of the exchanges, in microseconds; {@code null} when none was
     * measured.
     */
    @Nullable
    Long slowestResponseMicros() {
        return slowestResponseMicros(exchanges);
    }

    static @Nullable Long slowestResponseMicros(List<HttpExchange> exchanges) {
        Long slowest = null;
        for (HttpExchange exchange : exchanges) {
            Long response = exchange.responseMicros();
            if (response != null && (slowest == null || response > slowest)) {
                slowest = response;
            }
        }
        return slowest;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
