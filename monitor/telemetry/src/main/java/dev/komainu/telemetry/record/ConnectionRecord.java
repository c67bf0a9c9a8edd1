package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection, written when it ended, timed out, or the capture ended (ENMA's log entry,
 * thesis 2.4).
 *
 * @param service the watched service's id as the source knows it, such as {@code web-01:80}; absent
 *     in {@code analyze}
 * @param client the sender of the first SYN
 * @param server the receiver of the first SYN
 * @param times the instants and durations of the connection
 * @param state how it ended
 * @param handshake its handshake
 * @param up client to server
 * @param down server to client
 * @param exchanges requests in order of arrival; at most the first {@value #MAX_EXCHANGES}
 * @param exchangesLeftOut further exchanges
 * @param tls absent for clear text
 */
public record ConnectionRecord(
        @Nullable String service,
        Endpoint client,
        Endpoint server,
        Times times,
        ConnectionState state,
        Handshake handshake,
        DirectionTotals up,
        DirectionTotals down,
        List<HttpExchange> exchanges,
        int exchangesLeftOut,
        @Nullable TlsFacts tls)
        implements TelemetryRecord {

    /**
     * The instants and durations of the connection.
     *
     * @param startMicros instant of the first packet
     * @param endMicros instant of the last packet of the close, or the last packet seen
     * @param durationMicros T_c: first SYN to the last packet of the close
     * @param transferMicros T_d of the thesis: first response data packet to the last packet, FIN
     *     and its ACK included
     */
    @FieldGroup
    public record Times(
            long startMicros,
            long endMicros,
            long durationMicros,
            @Nullable Long transferMicros) {}

    /**
     * Maximum number of exchanges listed per connection. Further ones are counted in the windows
     * only.
     */
    public static final int MAX_EXCHANGES = 1_000;

    public ConnectionRecord {
        exchanges = List.copyOf(exchanges);
    }

    @Override
    public long atMicros() {
        return times.endMicros();
    }
}
