package dev.komainu.central.alert;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Silences and maintenances: those that run, and those that ended. Any thread. */
@Component
public class Silences {

    private final VersionedTable<Silence> table;
    private final Clock clock;

    public Silences(JdbcClient jdbc, Clock clock) {
        this.table = new VersionedTable<>(jdbc, "alert_silence", Silence.class);
        this.clock = clock;
    }

    /** Those that run now, in the order they were made. */
    public List<Versioned<Silence>> running() {
        Instant now = clock.instant();
        return table.all().stream().filter(each -> each.body().runs(now)).toList();
    }

    public List<Versioned<Silence>> all() {
        return table.all();
    }

    /** The silence that holds back notices about a subject in this state. */
    @Nullable
    String covering(String subject, String state, Instant now) {
        for (Versioned<Silence> each : table.all()) {
            if (each.body().covers(subject, state, now)) {
                return each.id();
            }
        }
        return null;
    }

    public VersionedTable.Created<Silence> create(
            Silence silence, String by, @Nullable String key) {
        return table.create(silence, silence.asked(), by, key);
    }

    /**
     * Ends it now; one that ended before stays as it is.
     *
     * @return as it is now; empty when it is not known
     */
    public Optional<Versioned<Silence>> end(String id) {
        Instant now = clock.instant();
        Optional<Versioned<Silence>> kept = table.find(id);
        if (kept.isEmpty() || !kept.get().body().runs(now)) {
            return kept;
        }
        return table.replace(id, kept.get().version(), kept.get().body().endedAt(now))
                .or(() -> table.find(id)); // ended by another request at the same time
    }

    /**
     * Deletes what ended so many days ago, by the clock and by what ends last: the clock may be
     * ahead.
     */
    void forgetEnded(Instant now, int daysAgo) {
        List<Versioned<Silence>> all = table.all();
        Instant last = all.stream()
                .map(each -> each.body().endsAt())
                .max(Comparator.naturalOrder())
                .orElse(now);
        Instant then = (last.isBefore(now) ? last : now).minus(Duration.ofDays(daysAgo));
        all.stream()
                .filter(each -> each.body().endsAt().isBefore(then))
                .forEach(each -> table.delete(each.id()));
    }
}
