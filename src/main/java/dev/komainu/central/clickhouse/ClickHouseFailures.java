package dev.komainu.central.clickhouse;

import dev.komainu.central.clickhouse.ClickHouseException.Kind;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements that failed since the start, by kind, and since when the server does not respond.
 * A query that was sent twice counts once. Any thread.
 */
public final class ClickHouseFailures {

    private final Clock clock;
    /** Guarded by this. */
    private final Map<Kind, Failed> failed = new EnumMap<>(Kind.class);

    private volatile @Nullable Outage outage;

    /**
     * The failures of one kind.
     *
     * @param count since the start
     * @param lastText what the client or the server said about the last one
     */
    public record Failed(Kind kind, long count, Instant lastAt, String lastText) {}

    /**
     * A time without a response.
     *
     * @param since first request without one
     * @param reason of the newest failure
     */
    public record Outage(Instant since, String reason) {}

    ClickHouseFailures(Clock clock) {
        this.clock = clock;
    }

    void answered() {
        outage = null;
    }

    /** Counts a failure and returns it. */
    synchronized ClickHouseException add(ClickHouseException failure) {
        Instant now = clock.instant();
        String text = String.valueOf(failure.getMessage());
        failed.merge(
                failure.kind(),
                new Failed(failure.kind(), 1, now, text),
                (before, one) -> new Failed(one.kind(), before.count() + 1, now, text));
        Outage before = outage;
        outage = failure.isAnswered()
                ? null
                : new Outage(before == null ? now : before.since(), text);
        return failure;
    }

    /** Returns the outage that lasts; {@code null} when the last request was answered. */
    public @Nullable Outage outage() {
        return outage;
    }

    /** Returns the kinds that occurred. */
    public synchronized List<Failed> all() {
        return new ArrayList<>(failed.values());
    }

    /** Returns the number of failures of a kind. */
    public synchronized long count(Kind kind) {
        Failed of = failed.get(kind);
        return of == null ? 0 : of.count();
    }
}
