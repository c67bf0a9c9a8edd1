package dev.komainu.central.audit.outside;

import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.AuditRows;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The feed of one sink: reads the rows after the newest one sent, in order, and sends them. An
 * entry that cannot be sent now is tried again with growing pauses, and the later ones wait in the
 * table. Delivered at least once: after a crash the newest can be sent again.
 *
 * <p>{@link #runDue} is called by one thread at a time; the rest by any.
 */
public final class AuditFeed {

    private static final Logger LOG = LoggerFactory.getLogger(AuditFeed.class);
    private static final int PAGE = 100;
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** Reasons of {@code komainu_audit_dropped_total}. */
    static final String BACKLOG = "backlog";

    static final String REFUSED = "refused";
    static final String REMOVED = "removed";

    /**
     * The state of a feed.
     *
     * @param place address, without secrets
     * @param sent entries since the start
     * @param waiting entries not sent yet
     * @param dropped entries since the start that were not sent, for any reason
     * @param trouble why the newest attempt failed; absent when it did not
     */
    public record State(
            String sink,
            String place,
            long sent,
            long waiting,
            long dropped,
            @Nullable Instant sentAt,
            @Nullable String trouble) {}

    private final AuditSink sink;
    private final AuditRows rows;
    private final JdbcClient jdbc;
    private final Function<AuditEntry, String> sign;
    private final int backlog;
    private final Clock clock;
    private final Counter sent;
    private final Function<String, Counter> dropped;

    private volatile long position;
    private final AtomicLong droppedCount = new AtomicLong();
    private volatile @Nullable Instant sentAt;
    private volatile @Nullable String trouble;
    private int failures;
    private Instant notBefore = Instant.MIN;

    AuditFeed(
            AuditSink sink,
            AuditRows rows,
            JdbcClient jdbc,
            Function<AuditEntry, String> sign,
            int backlog,
            Clock clock,
            MeterRegistry meters) {
        this.sink = sink;
        this.rows = rows;
        this.jdbc = jdbc;
        this.sign = sign;
        this.backlog = backlog;
        this.clock = clock;
        this.sent = Counter.builder("komainu.audit.sent")
                .description("Audit entries sent to a receiver outside")
                .tag("sink", sink.name())
                .register(meters);
        this.dropped = reason -> Counter.builder("komainu.audit.dropped")
                .description("Audit entries that a receiver outside did not get")
                .tag("sink", sink.name())
                .tag("reason", reason)
                .register(meters);
        for (String reason : List.of(BACKLOG, REFUSED, REMOVED)) {
            count(reason, 0);
        }
        this.position = storedPosition();
        Gauge.builder("komainu.audit.waiting", this, AuditFeed::waiting)
                .description("Audit entries not sent yet to a receiver outside")
                .tag("sink", sink.name())
                .register(meters);
    }

    /** Returns the stored position; a sink that is new gets entries from now on. */
    private long storedPosition() {
        Optional<Long> stored = jdbc.sql("select sequence from audit_sent where sink = ?")
                .param(sink.name())
                .query(Long.class)
                .optional();
        long head = rows.head().sequence();
        if (stored.isEmpty()) {
            jdbc.sql("insert into audit_sent (sink, sequence) values (?, ?)")
                    .params(sink.name(), head)
                    .update();
            return head;
        }
        return stored.get();
    }

    private long waiting() {
        return Math.max(0, rows.head().sequence() - position);
    }

    State state() {
        return new State(
                sink.name(),
                sink.place(),
                (long) sent.count(),
                waiting(),
                droppedCount.get(),
                sentAt,
                trouble);
    }

    /** Sends what is due. Returns the time until the next attempt; empty when nothing waits. */
    Optional<Duration> runDue() {
        while (true) {
            Instant now = clock.instant();
            // A later time than the longest pause: the clock was set back.
            if (notBefore.isAfter(now) && !notBefore.isAfter(now.plus(LONGEST_PAUSE))) {
                return Optional.of(Duration.between(now, notBefore));
            }
            dropBacklog();
            List<AuditEntry> page = rows.following(position, PAGE);
            if (page.isEmpty()) {
                return Optional.empty();
            }
            for (AuditEntry entry : page) {
                if (entry.sequence() > position + 1) {
                    drop(REMOVED, entry.sequence() - position - 1, entry.sequence() - 1);
                }
                if (!isSettled(entry)) {
                    keepPosition();
                    notBefore = clock.instant().plus(pause());
                    return Optional.of(pause());
                }
            }
            keepPosition();
        }
    }

    private void dropBacklog() {
        long waiting = waiting();
        if (waiting > backlog) {
            long to = rows.head().sequence() - backlog;
            drop(BACKLOG, to - position, to);
            keepPosition();
        }
    }

    /** Sends an entry, or drops it for good. Returns false when it must be tried again. */
    private boolean isSettled(AuditEntry entry) {
        try {
            sink.send(entry, sign.apply(entry));
            sent.increment();
            sentAt = clock.instant();
            trouble = null;
            position = entry.sequence();
        } catch (AuditSink.RefusedEntryException e) {
            trouble = e.getMessage();
            drop(REFUSED, 1, entry.sequence());
        } catch (IOException e) {
            if (failures++ == 0) {
                LOG.warn("Audit entries to {}: {}", sink.place(), e.toString());
            }
            trouble = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            return false;
        }
        failures = 0;
        return true;
    }

    private Duration pause() {
        Duration pause = Duration.ofSeconds(1L << Math.min(failures - 1, 6));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private void drop(String reason, long number, long to) {
        count(reason, number);
        position = to;
        LOG.warn(
                "Audit entries up to #{}: {} not sent to {} ({})",
                to,
                number,
                sink.place(),
                reason);
    }

    private void count(String reason, long number) {
        dropped.apply(reason).increment((double) number);
        droppedCount.addAndGet(number);
    }

    private void keepPosition() {
        jdbc.sql("update audit_sent set sequence = ? where sink = ?")
                .params(position, sink.name())
                .update();
    }

    void close() {
        sink.close();
    }
}
