package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProgramVersion;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values found by a reader. This class is the only way out for them: it drops a directive that
 * has no knob, and a value that is neither a number nor a known word. One thread at a time.
 */
public final class ConfigurationFindings {

    private static final int MAX_VALUE = 64;
    private static final int MAX_TEXT = 1_000;
    private static final int MAX_LOGS = 16;
    private static final int MAX_UPSTREAMS = 200;
    private static final int MAX_PROBLEMS = 20;

    private final String software;
    private final @Nullable ProgramVersion version;
    private final Map<String, Knob> knobs = new LinkedHashMap<>();
    private final Map<String, Setting> found = new LinkedHashMap<>();
    private final Map<String, Setting> derived = new LinkedHashMap<>();
    private final Map<String, AccessLogPlace> logs = new LinkedHashMap<>();
    private final Map<String, Upstream> upstreams = new LinkedHashMap<>();
    private final Set<String> problems = new LinkedHashSet<>();
    private @Nullable Setting logging;
    private boolean serves = true;

    /**
     * Creates an empty collection.
     *
     * @param kind the software's name in the source of a default, such as {@code nginx}
     * @param version the running version, for its defaults
     */
    public ConfigurationFindings(String kind, @Nullable String version) {
        this.version = ProgramVersion.parse(version);
        this.software = kind + (version == null ? "" : " " + version);
    }

    /** Adds directives to report, in this order, with these defaults. */
    public void expect(List<Knob> list) {
        list.forEach(knob -> knobs.put(knob.name(), knob));
    }

    /** Reports whether a reader expects this directive. */
    public boolean expects(String name) {
        return knobs.containsKey(name);
    }

    /** Returns the default of the running version; empty when there is none. */
    public String defaultOf(String name) {
        Knob knob = knobs.get(name);
        return knob == null ? "" : knob.defaultOf(version);
    }

    /** Returns the value found or computed, without defaults; null when there is none. */
    public @Nullable Setting get(String name) {
        Setting setting = found.get(name);
        return setting == null ? derived.get(name) : setting;
    }

    /** Returns the value found, else the default; empty when there is neither. */
    public String value(String name) {
        Setting setting = get(name);
        return setting == null ? defaultOf(name) : setting.value();
    }

    /** Sets a directive's value; the last one wins. Dropped when no knob has this name. */
    public void put(String name, String value, String source) {
        if (!knobs.containsKey(name)) {
            return;
        }
        if (value.length() <= MAX_VALUE && ValueFilter.accepts(value)) {
            found.put(name, new Setting(name, value, source));
        } else {
            problem(source, name + " (expected: a number or a known word)");
        }
    }

    /** Sets a directive's value unless it has one. */
    public void putIfAbsent(String name, String value, String source) {
        if (!found.containsKey(name)) {
            put(name, value, source);
        }
    }

    /** Sets a computed value, which is reported after the directives. */
    public void putDerived(String name, String value, String source) {
        if (value.length() <= MAX_VALUE && ValueFilter.accepts(value)) {
            derived.put(name, new Setting(name, value, source));
        } else {
            problem(source, name + " (expected: a number or a known word)");
        }
    }

    /** Adds a log file. */
    public void accessLog(AccessLogPlace place) {
        if (logs.size() < MAX_LOGS
                && place.path().length() <= MAX_TEXT
                && place.format().length() <= MAX_TEXT) {
            logs.putIfAbsent(place.path(), place);
        }
    }

    /**
     * Records that requests are logged elsewhere than in a file, or not at all: {@code off},
     * {@code syslog}, {@code pipe}.
     */
    public void logsElsewhere(String destination, String source) {
        logging = new Setting("access-log", destination, source);
    }

    /** Adds an upstream server; null, when no plain address was written, is ignored. */
    public void upstream(@Nullable Upstream upstream) {
        if (upstream != null && upstreams.size() < MAX_UPSTREAMS) {
            upstreams.putIfAbsent(upstream.address(), upstream);
        }
    }

    /** Records that the configuration was understood and that no request arrives at this port. */
    public void servesElsewhere() {
        serves = false;
    }

    /**
     * Adds a problem, up to a limit.
     *
     * @param place file and line
     * @param what the reason; it must not repeat the text of that line
     */
    public void problem(String place, String what) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(place + ": " + what);
        }
    }

    /**
     * Returns everything found: directives in order with defaults filled in, then computed values,
     * logs, upstreams, files.
     */
    public ServerConfiguration configuration(ConfigurationFiles files) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        knobs.forEach((name, knob) -> {
            Setting setting = found.get(name);
            String fallback = knob.defaultOf(version);
            if (setting != null) {
                settings.put(name, setting);
            } else if (!fallback.isEmpty()) {
                settings.put(name, new Setting(name, fallback, "default of " + software));
            }
        });
        settings.putAll(derived);
        List<ConfigurationFile> read = files.read();
        SettingPlaces.of(logs.values(), logging, upstreams.values(), read)
                .forEach(setting -> settings.put(setting.name(), setting));
        files.problems().forEach(problem -> problem(problem.place(), problem.what()));
        return new ServerConfiguration(
                List.copyOf(settings.values()),
                List.copyOf(logs.values()),
                List.copyOf(upstreams.values()),
                read,
                serves,
                List.copyOf(problems));
    }

    /** Returns the source of a default, such as {@code default of nginx 1.22.1}. */
    public String defaultSource() {
        return "default of " + software;
    }

    List<String> problems() {
        return new ArrayList<>(problems);
    }
}
