package dev.komainu.proxy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The configuration in force and where it came from: read again on demand, compared key by key as it was written, and with
 * those keys held back that only a start can change.
 *
 * <p>One thread at a time.
 */
final class Configuration {

    private static final String SOCKETS = "sockets listen from the start on";
    private static final String REPORTS = "reports go where the start said";

    /** What only a start can change, and why. Everything else is changed by a reload. */
    static final Map<String, String> AT_START = new TreeMap<>(Map.ofEntries(
            Map.entry("listen", SOCKETS),
            Map.entry("tls.listen", SOCKETS),
            Map.entry("tls.engine", "the engine is chosen at the start"),
            Map.entry("control.listen", SOCKETS),
            Map.entry("workers", "event loops run from the start on"),
            Map.entry("transport", "event loops run from the start on"),
            Map.entry("warm-up", "it comes before the proxy listens"),
            Map.entry("forward.enabled", "a proxy is a forward or a reverse one for its lifetime"),
            Map.entry("cache.memory", "the cache's memory is taken at the start"),
            Map.entry("cache.policy", "what is stored lies in its order"),
            Map.entry("cache.disk", "the disk's index is made at the start"),
            Map.entry("peak.day", "what was learned lies in its hours"),
            Map.entry("central.url", REPORTS),
            Map.entry("central.token-file", REPORTS),
            Map.entry("data", REPORTS),
            Map.entry("organizer", "a cluster is joined at the start"),
            Map.entry("node", "it names this proxy in all records")));

    /** The same places in the same order, each time. */
    @FunctionalInterface
    interface Source {
        /** @throws ProxySettings.Problems when a place cannot be read */
        SettingValues read() throws ProxySettings.Problems;
    }

    /** Reads and checks a whole configuration. */
    @FunctionalInterface
    interface Reader {
        /** @throws ProxySettings.Problems all mistakes */
        ProxySettings read(SettingValues values) throws ProxySettings.Problems;
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
            SettingValues values,
            ProxySettings settings,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged) {}

    private final Source source;
    private final Reader reader;
    private SettingValues values;
    private ProxySettings settings;

    private Configuration(Source source, Reader reader, SettingValues values, ProxySettings settings) {
        this.source = source;
        this.reader = reader;
        this.values = values;
        this.settings = settings;
    }

    static Configuration read(Source source, Reader reader) throws ProxySettings.Problems {
        SettingValues values = source.read();
        return new Configuration(source, reader, values, reader.read(values));
    }

    /** Of a proxy that was started with settings from nowhere. */
    static Configuration fixed(ProxySettings settings) {
        SettingValues nothing = new SettingValues(Map.of(), Map.of(), Map.of());
        return new Configuration(
                () -> {
                    throw new ProxySettings.Problems(
                            List.of("configuration: none (expected: a proxy that was started with one)"));
                },
                ProxySettings::read,
                nothing,
                settings);
    }

    ProxySettings settings() {
        return settings;
    }

    /**
     * Reads everything again and compares.
     *
     * @throws ProxySettings.Problems all mistakes of what is written now, or of what remains of it without a restart
     */
    Change again() throws ProxySettings.Problems {
        SettingValues written = source.read();
        reader.read(written);
        SettingValues held = written.holding(AT_START.keySet(), values);
        List<String> applied = new ArrayList<>();
        Map<String, String> needsRestart = new LinkedHashMap<>();
        int unchanged = 0;
        for (String key : List.copyOf(written.asked())) {
            if (Objects.equals(written.text(key), values.text(key))) {
                unchanged++;
            } else if (AT_START.containsKey(key)) {
                needsRestart.put(key, AT_START.get(key));
            } else {
                applied.add(key);
            }
        }
        return new Change(held, remaining(held, needsRestart), applied, needsRestart, unchanged);
    }

    /** What changes without a restart must make sense without what needs one. */
    private ProxySettings remaining(SettingValues held, Map<String, String> needsRestart)
            throws ProxySettings.Problems {
        try {
            return reader.read(held);
        } catch (ProxySettings.Problems e) {
            List<String> problems = new ArrayList<>(e.problems());
            problems.add(
                    String.join(", ", needsRestart.keySet())
                            + ": set otherwise (expected: as at the start, because the rest makes no sense without; restart instead)");
            throw new ProxySettings.Problems(problems);
        }
    }

    /** It is in force now. */
    void took(Change change) {
        values = change.values();
        settings = change.settings();
    }
}
