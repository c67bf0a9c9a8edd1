package dev.komainu.organizer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An organizer's configuration in force and where it came from: read again on demand, compared key by key as it was written, and with those
 * keys held back that only a start can change.
 *
 * <p>One thread at a time.
 */
final class Configuration {

    private static final String NAME = "the others know this member by it";
    private static final String SOCKETS = "sockets listen from the start on";
    private static final String LINES = "lines are made with it";
    private static final String GROUP = "the group is joined with it";
    private static final String PROOF = "members prove themselves by it from the start on";
    private static final String REPORTS = "reports go where the start said";

    /** What only a start can change, and why. Everything else is changed by a reload. */
    static final Map<String, String> AT_START = new TreeMap<>(Map.ofEntries(
            Map.entry("member", NAME),
            Map.entry("cluster", NAME),
            Map.entry("listen", SOCKETS),
            Map.entry("line", SOCKETS),
            Map.entry("line-plain", LINES),
            Map.entry("line-carrier", LINES),
            Map.entry("front.listen", SOCKETS),
            Map.entry("lines.connections", LINES),
            Map.entry("lines.congestion", LINES),
            Map.entry("lines.stream-window", LINES),
            Map.entry("lines.connection-window", LINES),
            Map.entry("lines.held", LINES),
            Map.entry("lines.max-streams", LINES),
            Map.entry("lines.ping-every", LINES),
            Map.entry("lines.silence", LINES),
            Map.entry("lines.connect-timeout", LINES),
            Map.entry("lines.patience", LINES),
            Map.entry("meet.seeds", GROUP),
            Map.entry("meet.multicast", GROUP),
            Map.entry("detect", GROUP),
            Map.entry("secret-file", PROOF),
            Map.entry("tls.certificate", PROOF),
            Map.entry("tls.key", PROOF),
            Map.entry("tls.authorities", PROOF),
            Map.entry("grant-authority", PROOF),
            Map.entry("grant-file", PROOF),
            Map.entry("control.listen", SOCKETS),
            Map.entry("central.url", REPORTS),
            Map.entry("central.token-file", REPORTS),
            Map.entry("node", REPORTS),
            Map.entry("data", "what is kept there is this process's")));

    /** The same places in the same order, each time. */
    @FunctionalInterface
    interface Source {
        /** @throws SettingProblemsException when a place cannot be read */
        SettingTree read() throws SettingProblemsException;
    }

    /**
     * What a reload would do.
     *
     * @param values with what is held back
     * @param settings of these
     * @param applied keys that change now
     * @param needsRestart keys that change at the next start, and why
     */
    record Change(
            Map<String, Object> values,
            OrganizerSettings settings,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged) {}

    private final Source source;
    private Map<String, Object> values;
    private OrganizerSettings settings;

    private Configuration(Source source, Map<String, Object> values, OrganizerSettings settings) {
        this.source = source;
        this.values = values;
        this.settings = settings;
    }

    static Configuration read(Source source) throws SettingProblemsException {
        SettingTree tree = source.read();
        OrganizerSettings settings = OrganizerSettings.read(tree);
        return new Configuration(source, tree.written(), settings);
    }

    /** Of an organizer that was started with settings from nowhere, or inside a proxy, whose configuration has them. */
    static Configuration fixed(OrganizerSettings settings) {
        return new Configuration(
                () -> {
                    throw new SettingProblemsException(
                            List.of("configuration: none (expected: an organizer that was started with one)"));
                },
                Map.of(),
                settings);
    }

    OrganizerSettings settings() {
        return settings;
    }

    /**
     * Reads everything again and compares.
     *
     * @throws SettingProblemsException all mistakes of what is written now, or of what remains of it without a restart
     */
    Change again() throws SettingProblemsException {
        SettingTree tree = source.read();
        OrganizerSettings.read(tree);
        Map<String, Object> written = tree.written();
        Map<String, Object> held = new LinkedHashMap<>(written);
        held.keySet().removeAll(AT_START.keySet());
        values.forEach((key, value) -> {
            if (AT_START.containsKey(key)) {
                held.put(key, value);
            }
        });
        List<String> applied = new ArrayList<>();
        Map<String, String> needsRestart = new LinkedHashMap<>();
        int unchanged = 0;
        for (String key : tree.asked()) {
            String why = AT_START.get(key);
            if (Objects.equals(text(written.get(key)), text(values.get(key)))) {
                unchanged++;
            } else if (why != null) {
                needsRestart.put(key, why);
            } else {
                applied.add(key);
            }
        }
        return new Change(held, remaining(held, needsRestart), applied, needsRestart, unchanged);
    }

    private static String text(@Nullable Object written) {
        return String.valueOf(written).strip();
    }

    /** What changes without a restart must make sense without what needs one. */
    private static OrganizerSettings remaining(Map<String, Object> held, Map<String, String> needsRestart)
            throws SettingProblemsException {
        try {
            return OrganizerSettings.read(held, Map.of());
        } catch (SettingProblemsException e) {
            List<String> problems = new ArrayList<>(e.problems());
            problems.add(
                    String.join(", ", needsRestart.keySet())
                            + ": set otherwise (expected: as at the start, because the rest makes no sense without; restart instead)");
            throw new SettingProblemsException(problems);
        }
    }

    /** It is in force now. */
    void took(Change change) {
        values = change.values();
        settings = change.settings();
    }
}
