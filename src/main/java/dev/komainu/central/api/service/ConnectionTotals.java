package dev.komainu.central.api.service;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The sums over some connections. Not thread-safe. */
final class ConnectionTotals {

    /** The ends after which a client was not served. */
    private static final Set<ConnectionState> FAILED = EnumSet.of(
            ConnectionState.RST_SERVER,
            ConnectionState.REFUSED,
            ConnectionState.NO_ANSWER,
            ConnectionState.HALF_OPEN);

    // Each response time itself: a histogram for each of thousands of groups needs more memory.
    private long[] responseMicros = new long[4];
    private int responses;
    private long connections;
    private long requests;
    private long payloadBytes;
    private long failed;

    /** The sums as the API returns them; times are absent when no response was measured. */
    record View(
            long connections,
            long requests,
            long payloadBytes,
            long failed,
            @Nullable Double responseP50Millis,
            @Nullable Double responseP95Millis,
            @Nullable Double slowestMillis) {}

    /**
     * Adds a connection.
     *
     * @param target only the exchanges of this target count as requests; {@code null}: all
     */
    void add(ConnectionRecord connection, @Nullable String target) {
        connections++;
        payloadBytes += connection.up().payloadBytes() + connection.down().payloadBytes();
        if (FAILED.contains(connection.state())) {
            failed++;
        }
        for (HttpExchange exchange : connection.exchanges()) {
            if (target == null || target.equals(exchange.target())) {
                requests++;
                if (exchange.responseMicros() != null) {
                    addResponse(exchange.responseMicros());
                }
            }
        }
        if (target == null) {
            requests += connection.exchangesLeftOut();
        }
    }

    private void addResponse(long micros) {
        if (responses == responseMicros.length) {
            responseMicros = Arrays.copyOf(responseMicros, responses * 2);
        }
        responseMicros[responses++] = micros;
    }

    View view() {
        Arrays.sort(responseMicros, 0, responses);
        return new View(
                connections,
                requests,
                payloadBytes,
                failed,
                percentileMillis(50),
                percentileMillis(95),
                percentileMillis(100));
    }

    /** Returns a percentile by nearest rank. The times must be sorted. */
    private @Nullable Double percentileMillis(int percent) {
        if (responses == 0) {
            return null;
        }
        int rank = (int) Math.ceilDiv((long) responses * percent, 100);
        return responseMicros[Math.max(rank, 1) - 1] / 1_000.0;
    }

    /**
     * Returns the number of responses that took longer than {@code from} and at most {@code to}.
     */
    long responsesBetween(long fromMicros, long toMicros) {
        return Arrays.stream(responseMicros, 0, responses)
                .filter(micros -> micros > fromMicros && micros <= toMicros)
                .count();
    }
}
