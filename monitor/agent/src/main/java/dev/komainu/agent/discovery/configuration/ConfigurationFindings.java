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
 * Collects what a reader finds. Everything passes here on its way out: a directive nobody named a
 * knob for is dropped, and so is a value that is neither a number nor a known word. One thread at a
 * time.
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
    private final Map<String, Setting> more = new LinkedHashMap<>();
    private final Map<String, AccessLogPlace> logs = new LinkedHashMap<>();
    private final Map<String, Upstream> upstreams = new LinkedHashMap<>();
    private final Set<String> problems = new LinkedHashSet<>();
    private @Nullable Setting logging;
    private boolean serves = true;

    /**
     * @param kind how the default's source names the software, such as {@code nginx}
     * @param version the running one, for its defaults
     */
    public ConfigurationFindings(String kind, @Nullable String version) {
        this.version = ProgramVersion.parse(version);
        this.software = kind + (version == null ? "" : " " + version);
    }

    /** These are reported, in this order, with these defaults. */
    public void expect(List<Knob> list) {
        list.forEach(knob -> knobs.put(knob.name(), knob));
    }

    /** Whether some reader named this directive. */
    public boolean expects(String name) {
        return knobs.containsKey(name);
    }

    /** What the version takes where nothing is said; empty when nothing. */
    public String defaultOf(String name) {
        Knob knob = knobs.get(name);
        return knob == null ? "" : knob.defaultOf(version);
    }

    public @Nullable Setting get(String name) {
        Setting setting = found.get(name);
        return setting == null ? more.get(name) : setting;
    }

    /** The value found or else the default; empty when neither. */
    public String value(String name) {
        Setting setting = get(name);
        return setting == null ? defaultOf(name) : setting.value();
    }

    /** A directive's value, the last one wins; dropped when no knob has this name. */
    public void put(String name, String value, String source) {
        if (!knobs.containsKey(name)) {
            return;
        }
        if (value.length() <= MAX_VALUE && ValueFilter.is(value)) {
            found.put(name, new Setting(name, value, source));
        } else {
            problem(source, name + " (expected: a number or a known word)");
        }
    }

    /** As {@link #put}, unless a value is there already. */
    public void putIfAbsent(String name, String value, String source) {
        if (!found.containsKey(name)) {
            put(name, value, source);
        }
    }

    /** A value worked out rather than read; told after the directives. */
    public void tell(String name, String value, String source) {
        if (value.length() <= MAX_VALUE && ValueFilter.is(value)) {
            more.put(name, new Setting(name, value, source));
        } else {
            problem(source, name + " (expected: a number or a known word)");
        }
    }

    /** A log in a file. */
    public void accessLog(AccessLogPlace place) {
        if (logs.size() < MAX_LOGS
                && place.path().length() <= MAX_TEXT
                && place.format().length() <= MAX_TEXT) {
            logs.putIfAbsent(place.path(), place);
        }
    }

    /**
     * Requests are logged elsewhere than in a file, or not at all: {@code off}, {@code syslog},
     * {@code pipe}.
     */
    public void logsElsewhere(String how, String source) {
        logging = new Setting("access-log", how, source);
    }

    /** A server behind; null, where no plain address was written, is passed over. */
    public void upstream(@Nullable Upstream upstream) {
        if (upstream != null && upstreams.size() < MAX_UPSTREAMS) {
            upstreams.putIfAbsent(upstream.address(), upstream);
        }
    }

    /** The configuration was understood, and no request comes in at this port. */
    public void servesElsewhere() {
        serves = false;
    }

    /** @param place file and line; {@code what} must not repeat the text that stands there */
    public void problem(String place, String what) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(place + ": " + what);
        }
    }

    /**
     * All of it: directives in their order with defaults filled in, then what was worked out, logs,
     * upstreams, files.
     */
    public ServerConfiguration configuration(ConfigurationFiles files) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        knobs.forEach((name, knob) -> {
            Setting setting = found.get(name);
            String otherwise = knob.defaultOf(version);
            if (setting != null) {
                settings.put(name, setting);
            } else if (!otherwise.isEmpty()) {
                settings.put(name, new Setting(name, otherwise, "default of " + software));
            }
        });
        settings.putAll(more);
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

    /** What the defaults' source says, such as {@code default of nginx 1.22.1}. */
    public String defaultSource() {
        return "default of " + software;
    }

    List<String> problems() {
        return new ArrayList<>(problems);
    }
}
