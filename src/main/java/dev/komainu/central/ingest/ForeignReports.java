package dev.komainu.central.ingest;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * The counts of what credentials reported in names that are not theirs. None of it was stored. Any
 * thread.
 */
@Component
public final class ForeignReports {

    /** Credentials with a count of their own; further ones share one. */
    private static final int MOST_CREDENTIALS = 1_000;

    private static final String FURTHER = "…";
    private static final int SHOWN_CHARS = 100;

    /** The kind of a name that is not the credential's. */
    public enum Name {
        SOURCE,
        NODE,
        SERVICE,
        ADDRESS,
        /** An outcome of an order that another source was given. */
        ORDER,
        /** The view of a member of a cluster that the credential is not. */
        MEMBER,
        /** The status of a part of another kind. */
        KIND;

        /** Returns the label in metrics and messages. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The reports of one credential in other names since the start.
     *
     * @param name kind of the newest name
     * @param last the newest name, shortened
     * @param atMicros time of the newest
     */
    public record Count(long count, Name name, String last, long atMicros) {}

    private final Map<String, Count> counts = new TreeMap<>();

    synchronized void add(String credential, Name name, String text, long atMicros) {
        String key = counts.containsKey(credential) || counts.size() < MOST_CREDENTIALS
                ? credential
                : FURTHER;
        String shown = text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "…";
        Count before = counts.get(key);
        counts.put(key, new Count(before == null ? 1 : before.count() + 1, name, shown, atMicros));
    }

    /** Returns the counts by credential. */
    public synchronized Map<String, Count> all() {
        return new TreeMap<>(counts);
    }
}
