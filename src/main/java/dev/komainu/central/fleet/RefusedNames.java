package dev.komainu.central.fleet;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The counts of what was refused because a limit was reached. Any thread. */
public final class RefusedNames {

    /** The limit that was reached. */
    public enum Limit {
        SERVICES,
        SOURCES,
        HOSTS,
        ADDRESSES,
        SETTINGS,
        LABELS,
        SERVERS_OF_A_HOST,
        LENGTH;

        /** Returns the label in metrics, REST and messages. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * The refusals of one limit since the start.
     *
     * @param last the newest refused name, shortened
     * @param atMicros time of the newest refusal
     */
    public record Count(long count, String last, long atMicros) {}

    private static final int SHOWN_CHARS = 100;

    private final Map<Limit, Count> counts = new EnumMap<>(Limit.class);

    public synchronized void add(Limit limit, String name, long atMicros) {
        Count before = counts.get(limit);
        String shown = name.length() <= SHOWN_CHARS ? name : name.substring(0, SHOWN_CHARS) + "…";
        counts.put(limit, new Count(before == null ? 1 : before.count() + 1, shown, atMicros));
    }

    /** Returns the limits that were reached since the start, with their counts. */
    public synchronized Map<Limit, Count> all() {
        return new EnumMap<>(counts);
    }
}
