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

/** The silences and maintenances, active and ended. Any thread. */
@Component
public class Silences {

    private final VersionedTable<Silence> table;
    private final Clock clock;

    public Silences(JdbcClient jdbc, Clock clock) {
        this.table = new VersionedTable<>(jdbc, "alert_silence", Silence.class);
        this.clock = clock;
    }

    /** Returns the active silences, in the order of creation. */
    public List<Versioned<Silence>> running() {
        Instant now = clock.instant();
        return table.all().stream().filter(silence -> silence.body().runs(now)).toList();
    }

    public List<Versioned<Silence>> all() {
        return table.all();
    }

    /**
     * Returns the id of the silence that suppresses notices about a subject in this state;
     * {@code null} without one.
     */
    @Nullable
    String covering(Observation observation, String state, Instant now) {
        for (Versioned<Silence> silence : table.all()) {
            if (silence.body().covers(observation.subject(), observation.labels(), state, now)) {
                return silence.id();
            }
        }
        return null;
    }

    public VersionedTable.Created<Silence> create(
            Silence silence, String by, @Nullable String key) {
        return table.create(silence, silence.requested(), by, key);
    }

    /**
     * Ends a silence now. A silence that has ended already is not changed.
     *
     * @return the silence after this call; empty when the id is unknown
     */
    public Optional<Versioned<Silence>> end(String id) {
        Instant now = clock.instant();
        Optional<Versioned<Silence>> stored = table.find(id);
        if (stored.isEmpty() || !stored.get().body().runs(now)) {
            return stored;
        }
        return table.replace(id, stored.get().version(), stored.get().body().endedAt(now))
                .or(() -> table.find(id)); // ended by another request at the same time
    }

    /**
     * Deletes silences that ended more than {@code daysAgo} days before now and before the latest
     * end. The second condition limits the damage of a clock that is ahead.
     */
    void forgetEnded(Instant now, int daysAgo) {
        List<Versioned<Silence>> all = table.all();
        Instant latest = all.stream()
                .map(silence -> silence.body().endsAt())
                .max(Comparator.naturalOrder())
                .orElse(now);
        Instant limit = (latest.isBefore(now) ? latest : now).minus(Duration.ofDays(daysAgo));
        all.stream()
                .filter(silence -> silence.body().endsAt().isBefore(limit))
                .forEach(silence -> table.delete(silence.id()));
    }
}
