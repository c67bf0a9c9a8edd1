package dev.komainu.agent.discovery.haproxy;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Line;
import dev.komainu.agent.discovery.haproxy.HaproxyFile.Section;
import dev.komainu.agent.host.linux.CpuList;
import dev.komainu.agent.host.linux.ProcessLimits;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration of one HAProxy port from every {@code -f} file and directory: the global
 * section, the frontend (or listen section) that binds the port with its defaults, and its default
 * backend with its defaults.
 */
public final class HaproxyReader implements ConfigurationReader {

    private static final List<Knob> GLOBAL = List.of(
            Knob.of("maxconn", ""),
            Knob.of("nbthread", "").since("1.8", "1").since("2.0", ""),
            Knob.of("nbproc", "1").since("2.5", ""),
            Knob.of("ulimit-n", ""),
            Knob.of("fd-hard-limit", ""),
            Knob.of("maxconnrate", "0"),
            Knob.of("maxsslconn", ""),
            Knob.of("maxpipes", ""),
            Knob.of("hard-stop-after", ""),
            Knob.of("tune.bufsize", "16384"),
            Knob.of("tune.maxaccept", ""),
            Knob.of("tune.rcvbuf.client", ""),
            Knob.of("tune.sndbuf.client", ""),
            Knob.of("tune.rcvbuf.server", ""),
            Knob.of("tune.sndbuf.server", ""),
            Knob.of("tune.listener.multi-queue", ""));

    private static final List<Knob> FRONTEND = List.of(
            Knob.of("mode", "tcp"),
            Knob.of("frontend maxconn", ""),
            Knob.of("bind maxconn", ""),
            Knob.of("backlog", ""),
            Knob.of("timeout client", "none"),
            Knob.of("timeout http-request", ""),
            Knob.of("timeout http-keep-alive", ""),
            Knob.of("timeout client-fin", ""),
            Knob.of("timeout tarpit", ""),
            Knob.of("compression algo", "none"));

    private static final List<Knob> BACKEND = List.of(
            Knob.of("timeout server", "none"),
            Knob.of("timeout connect", "none"),
            Knob.of("timeout queue", ""),
            Knob.of("timeout tunnel", ""),
            Knob.of("timeout check", ""),
            Knob.of("timeout server-fin", ""),
            Knob.of("balance", "roundrobin"),
            Knob.of("retries", "3"),
            Knob.of("fullconn", ""),
            Knob.of("http-reuse", "never").since("2.0", "safe"),
            Knob.of("server maxconn", ""));

    /** The connection mode; the last option wins (configuration.txt, "option http-keep-alive"). */
    private static final Knob CONNECTION = Knob.of("option", "http-keep-alive");

    private static final List<String> CONNECTION_MODES = List.of(
            "http-keep-alive", "http-server-close", "httpclose", "forceclose", "http-tunnel");
    private static final Pattern PORT = Pattern.compile("(?:.*:)?(\\d{1,5})(?:-(\\d{1,5}))?");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        List<Section> sections = HaproxyFile.read(
                subject.files(),
                paths(subject),
                subject.environment(),
                subject.versionNumber(),
                findings);
        findings.expect(GLOBAL);
        for (Section section : sections) {
            if (section.kind().equals("global")) {
                section.lines()
                        .forEach(line -> findings.put(line.word(0), line.word(1), line.source()));
            }
        }
        threads(subject, findings);
        connections(subject, findings);
        findings.expect(FRONTEND);
        findings.expect(BACKEND);
        findings.expect(List.of(CONNECTION));
        HaproxyBackends backends = new HaproxyBackends(sections, subject.port(), findings);
        boolean first = true;
        for (Section section : sections) {
            Line bind = bind(section, subject.port());
            if (bind != null) {
                List<Section> backendSections = backends.of(section);
                if (first) {
                    frontend(section, bind, findings);
                    backendSections.stream()
                            .limit(1)
                            .forEach(backend -> apply(backend, BACKEND, findings));
                    first = false;
                }
                backends.read(backendSections);
            }
        }
        if (first
                && sections.stream().anyMatch(section -> !section.named("bind").isEmpty())) {
            // A port between peers, or another one that accepts no requests.
            findings.servesElsewhere();
        }
        HaproxyLogs.read(sections, findings);
    }

    /**
     * Returns {@code -f FILE}, {@code -f DIRECTORY} (its *.cfg in order), and the arguments after
     * {@code --}.
     */
    private static List<String> paths(ConfigurationSubject subject) {
        List<String> arguments = subject.process().arguments();
        String base = subject.process().option("-C");
        List<String> given = new ArrayList<>(subject.process().options("-f"));
        int end = arguments.indexOf("--");
        if (end >= 0) {
            given.addAll(arguments.subList(end + 1, arguments.size()));
        }
        if (given.isEmpty()) {
            given.add("/etc/haproxy/haproxy.cfg");
        }
        List<String> paths = new ArrayList<>();
        ConfigurationFiles files = subject.files();
        for (String argument : given) {
            String path = subject.absolute(argument, base == null ? "" : base);
            if (files.isDirectory(path)) {
                paths.addAll(files.matching(path.replaceFirst("/+$", "") + "/*.cfg"));
            } else {
                paths.add(path);
            }
        }
        return paths;
    }

    private static void frontend(Section section, Line bind, ConfigurationFindings findings) {
        apply(section, FRONTEND, findings);
        if (findings.get("frontend maxconn") == null) {
            findings.put(
                    "frontend maxconn",
                    findings.value("maxconn"),
                    findings.defaultSource() + ", as maxconn");
        }
        String limit = bind.valueAfter("maxconn");
        if (limit != null) {
            findings.put("bind maxconn", limit, bind.source());
        }
        // In the order of listener_backlog(): the bind line's own value, the frontend's, then the
        // connection limit of either.
        String backlog = bind.valueAfter("backlog");
        if (backlog != null) {
            findings.put("backlog", backlog, bind.source());
        } else if (findings.get("backlog") == null) {
            String name = limit == null ? "frontend maxconn" : "bind maxconn";
            findings.put(
                    "backlog", findings.value(name), findings.defaultSource() + ", as " + name);
        }
    }

    /** Applies a section's own values over those of its defaults. */
    @SuppressWarnings("ReferenceEquality") // Guards against the section itself, not an equal one.
    private static void apply(Section section, List<Knob> knobs, ConfigurationFindings findings) {
        Section defaults = section.defaults();
        if (defaults != null && defaults != section) {
            apply(defaults, knobs, findings);
        }
        for (Line line : section.lines()) {
            String first = line.word(0);
            String name = switch (first) {
                case "timeout", "compression" -> first + " " + line.word(1);
                case "maxconn" -> "frontend maxconn";
                default -> first;
            };
            if (first.equals("option")) {
                option(line, 1, findings);
            } else if (first.equals("no") && line.word(1).equals("option")) {
                if (line.word(2).equals(findings.value("option"))) {
                    findings.put("option", "http-keep-alive", line.source());
                }
            } else if (!first.equals("server")
                    && knobs.stream().anyMatch(knob -> knob.name().equals(name))) {
                findings.put(name, line.word(name.startsWith(first + " ") ? 2 : 1), line.source());
            }
        }
    }

    private static void option(Line line, int at, ConfigurationFindings findings) {
        String mode = line.word(at);
        if (CONNECTION_MODES.contains(mode)) {
            findings.put("option", mode.equals("forceclose") ? "httpclose" : mode, line.source());
        }
    }

    private static @Nullable Line bind(Section section, int port) {
        if (!section.kind().equals("frontend") && !section.kind().equals("listen")) {
            return null;
        }
        for (Line line : section.named("bind")) {
            for (String address : line.word(1).split(",")) {
                Matcher matcher = PORT.matcher(address);
                if (!address.startsWith("unix@") && !address.startsWith("/") && matcher.matches()) {
                    int first = Integer.parseInt(String.valueOf(matcher.group(1)));
                    String last = matcher.group(2);
                    if (port >= first && port <= (last == null ? first : Integer.parseInt(last))) {
                        return line;
                    }
                }
            }
        }
        return null;
    }

    /** Sets the default: one thread for each CPU the process may run on. */
    private static void threads(ConfigurationSubject subject, ConfigurationFindings findings) {
        boolean old =
                subject.versionNumber() != null && !subject.versionNumber().isAtLeast("2.0");
        if (findings.get("nbthread") == null && !old) {
            String status = subject.proc().text(subject.process().id() + "/status");
            int cpus = CpuList.count(status);
            if (cpus > 0) {
                findings.put(
                        "nbthread",
                        String.valueOf(cpus),
                        findings.defaultSource() + ", one per CPU, /proc/"
                                + subject.process().id() + "/status");
            }
        }
    }

    /**
     * Sets the default: without a directive, HAProxy computes it from the limit of open files, two
     * for each connection (haproxy.c).
     */
    private static void connections(ConfigurationSubject subject, ConfigurationFindings findings) {
        String argument = subject.process().option("-n");
        if (argument != null) {
            findings.put("maxconn", argument, "command line -n");
        }
        Setting configured = findings.get("maxconn");
        Long limit =
                ProcessLimits.openFiles(subject.proc().read(subject.process().id() + "/limits"));
        if (configured == null
                && limit != null
                && limit != ProcessLimits.UNLIMITED
                && limit > 200) {
            findings.put(
                    "maxconn",
                    String.valueOf((limit - 100) / 2),
                    findings.defaultSource() + ", about half the limit of open files in /proc/"
                            + subject.process().id() + "/limits");
        }
    }
}
