package dev.komainu.agent.discovery.uwsgi;

import dev.komainu.agent.discovery.configuration.CommandOptions;
import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.ForkedWorkers;
import dev.komainu.agent.discovery.configuration.IniFile;
import dev.komainu.agent.discovery.configuration.Knob;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads a uWSGI's configuration: its environment ({@code UWSGI_PROCESSES}), its command line, and
 * the files that both name, in the order in which uWSGI applies them; the last value wins.
 */
public final class UwsgiReader implements ConfigurationReader {

    /** Options with the defaults of uWSGI 2.0 (core/uwsgi.c). */
    private static final List<Knob> KNOBS = List.of(
            Knob.of("processes", "1"),
            Knob.of("threads", "1"),
            Knob.of("listen", "100"),
            Knob.of("harakiri", "0"),
            Knob.of("max-requests", "0"),
            Knob.of("buffer-size", "4096"),
            Knob.of("cheaper", ""),
            Knob.of("http-processes", ""),
            Knob.of("gevent", ""),
            Knob.of("async", ""),
            Knob.of("master", "false"),
            Knob.of("thunder-lock", "false"),
            Knob.of("socket-timeout", "4"),
            Knob.of("reload-mercy", ""));

    private static final Map<String, String> ALIASES = Map.of(
            "workers", "processes",
            "p", "processes",
            "l", "listen",
            "t", "harakiri",
            "R", "max-requests",
            "b", "buffer-size",
            "M", "master",
            "s", "socket");

    /** Options that name a socket of requests, with the protocol spoken there. */
    private static final Map<String, String> SOCKETS = Map.of(
            "http", "http",
            "http-socket", "http",
            "https", "http",
            "https-socket", "http",
            "socket", "uwsgi",
            "uwsgi-socket", "uwsgi",
            "fastcgi-socket", "fastcgi",
            "scgi-socket", "scgi");

    private static final List<String> FILES = List.of("ini", "xml", "yaml", "yml", "include");
    private static final List<String> SWITCHED = List.of("master", "thunder-lock");

    private final Map<String, String> values = new HashMap<>();
    private final Map<String, String> switches = new HashMap<>();

    /** Creates a reader with the flags of its options. */
    public UwsgiReader() {
        KNOBS.forEach(knob -> flag(knob.name()));
        SOCKETS.keySet().forEach(this::flag);
        FILES.forEach(this::flag);
        ALIASES.keySet().forEach(this::flag);
        flag("stats");
        SWITCHED.forEach(name -> {
            values.remove("--" + name);
            switches.put("--" + name, name);
        });
        values.remove("-M");
        switches.put("-M", "master");
    }

    private void flag(String name) {
        values.put((name.length() == 1 ? "-" : "--") + name, ALIASES.getOrDefault(name, name));
    }

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        findings.expect(KNOBS);
        Options options = new Options(subject, findings);
        for (Knob knob : KNOBS) {
            String variable = "UWSGI_" + knob.name().toUpperCase(Locale.ROOT).replace('-', '_');
            String value = subject.environment().get(variable);
            if (value != null) {
                options.put(knob.name(), value, "environment " + variable, 0);
            }
        }
        List<String> arguments = subject.process().arguments();
        for (CommandOptions.Option option : CommandOptions.of(arguments, values, switches)) {
            options.put(option.setting(), option.value(), "command line " + option.flag(), 0);
        }
        for (int i = 1; i < arguments.size(); i++) {
            // A file without an option is read, too.
            if (arguments.get(i).matches("[^-].*\\.(?:ini|xml|ya?ml)")
                    && !values.containsKey(arguments.get(i - 1))) {
                options.put("ini", arguments.get(i), "command line", 0);
            }
        }
        titled(subject, findings);
    }

    /** Reports the workers that run where uWSGI's title replaced its command line. */
    private static void titled(ConfigurationSubject subject, ConfigurationFindings findings) {
        List<String> arguments = subject.process().arguments();
        int workers = ForkedWorkers.of(subject.proc(), subject.process().id());
        if (!arguments.isEmpty()
                && arguments.getFirst().equals("uWSGI")
                && findings.get("processes") == null
                && workers > 0) {
            long id = subject.process().id();
            findings.put(
                    "processes",
                    String.valueOf(workers),
                    "/proc/" + id + "/task/" + id
                            + "/children (the command line is replaced by a title)");
        }
    }

    /** The options of one server while they are collected. */
    private static final class Options {

        private final ConfigurationSubject subject;
        private final ConfigurationFindings findings;
        private final Set<String> followed = new HashSet<>();

        Options(ConfigurationSubject subject, ConfigurationFindings findings) {
            this.subject = subject;
            this.findings = findings;
        }

        void put(String written, String value, String source, int depth) {
            String dashed = written.replace('_', '-');
            String name = ALIASES.getOrDefault(dashed, dashed);
            if (FILES.contains(name)) {
                follow(value, source, depth);
            } else if (SOCKETS.containsKey(name)) {
                if (namesPort(value)) {
                    findings.putDerived("protocol", SOCKETS.getOrDefault(name, ""), source);
                }
            } else if (name.equals("stats")) {
                if (namesPort(value)) {
                    findings.servesElsewhere();
                }
            } else if (name.equals("logto") || name.equals("req-logger")) {
                findings.logsElsewhere("file", source);
            } else if (name.equals("disable-logging") && value.equals("true")) {
                findings.logsElsewhere("off", source);
            } else {
                findings.put(name, value, source);
            }
        }

        private boolean namesPort(String value) {
            return subject.listensAt(value.split(",")[0]);
        }

        private void follow(String value, String source, int depth) {
            if (depth >= ConfigurationFiles.MAX_DEPTH) {
                findings.problem(
                        source, "include not followed (expected: at most 10 nested includes)");
                return;
            }
            int colon = value.lastIndexOf(':');
            boolean ofSection = colon > 0 && value.indexOf('/', colon) < 0;
            String path = subject.absolute(ofSection ? value.substring(0, colon) : value, "");
            String section = ofSection ? value.substring(colon + 1) : "uwsgi";
            if (!followed.add(path + ":" + section)) {
                return;
            }
            List<IniFile.Entry> entries = UwsgiOptions.read(subject.files(), path, section);
            if (entries == null) {
                findings.problem(source, "the file cannot be read");
                return;
            }
            for (IniFile.Entry entry : entries) {
                put(entry.name(), entry.value(), entry.source(), depth + 1);
            }
        }
    }
}
