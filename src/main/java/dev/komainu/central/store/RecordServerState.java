package dev.komainu.central.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the server that keeps the telemetry.
 *
 * @param address its address and database, without credentials
 * @param since begin of the outage; absent while the server stores
 * @param reason newest failure of the outage; absent while the server stores
 * @param oldestWaiting age of the oldest batch that was taken and is not stored
 * @param figures the newest measurement; absent before the first
 * @param isCurrent whether the newest measurement succeeded
 * @param failures statements that failed since the start of this service, by kind
 */
public record RecordServerState(
        String address,
        Condition condition,
        @Nullable Instant since,
        @Nullable String reason,
        Duration oldestWaiting,
        @Nullable RecordServerFigures figures,
        boolean isCurrent,
        List<Failure> failures,
        SystemLogUse logs) {

    /** The condition of the server, for its users. */
    public enum Condition {
        STORING,
        /** The server responds, but the newest write failed for its state. */
        NOT_STORING,
        /** The server does not respond. */
        AWAY
    }

    /**
     * The failures of one kind.
     *
     * @param kind {@code connection}, {@code timeout}, {@code broken}, {@code state} or
     *     {@code statement}
     */
    public record Failure(String kind, long count, Instant lastAt, String lastText) {}

    public RecordServerState {
        failures = List.copyOf(failures);
    }
}
