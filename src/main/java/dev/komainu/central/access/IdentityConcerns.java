package dev.komainu.central.access;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/**
 * The concerns about identities of parts and of this service, as they were noticed last; the alerts
 * read them. Any thread.
 */
@Component
public final class IdentityConcerns {

    /** Names with an entry; further ones are not told. */
    private static final int MOST = 2_000;

    /** The kind of a concern, the gravest first. */
    public enum Concern {
        /** Two processes use one identity: one of them may be a thief's. */
        TWO_SPEAK_AS_ONE("two-speak-as-one"),
        /** The clock of a source's host differs from this service's. */
        CLOCK_DIFFERS("clock-differs"),
        /** A certificate ends soon and is not renewed. */
        CERTIFICATE_ENDS("certificate-ends");

        private final String label;

        Concern(String label) {
            this.label = label;
        }

        /** Returns the label in alerts and metrics. */
        public String label() {
            return label;
        }
    }

    /**
     * A concern about one name.
     *
     * @param detail what was noticed last
     * @param at time of that
     */
    public record Told(Concern concern, String detail, Instant at) {}

    private final Map<String, Told> told = new TreeMap<>();

    /**
     * Notes a concern; a newer one of the same name replaces it, but for ten minutes none hides a
     * graver one.
     */
    public synchronized void tell(String name, Concern concern, String detail, Instant at) {
        Told before = told.get(name);
        boolean hides = before != null
                && before.concern().compareTo(concern) < 0
                && at.isBefore(before.at().plusSeconds(600));
        if (!hides && (before != null || told.size() < MOST)) {
            told.put(name, new Told(concern, detail, at));
        }
    }

    /** Returns the newest concern of each name. */
    public synchronized Map<String, Told> all() {
        return new TreeMap<>(told);
    }
}
