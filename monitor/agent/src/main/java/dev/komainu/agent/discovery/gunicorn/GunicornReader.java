package dev.komainu.agent.discovery.gunicorn;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.CommandOptions;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.ForkedWorkers;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Reads a gunicorn's configuration in its order of precedence: {@code WEB_CONCURRENCY}, the Python
 * file, {@code GUNICORN_CMD_ARGS}, the command line. An expression in the file, such as
 * {@code workers = cpu_count() * 2 + 1}, is not computed: the number of workers that run is
 * reported instead.
 */
public final class GunicornReader implements ConfigurationReader {

    /** Settings with the defaults of gunicorn 20 to 23 (gunicorn.config). */
    private static final List<Knob> KNOBS = List.of(
            Knob.of("workers", "1"),
            Knob.of("threads", "1"),
            Knob.of("worker_class", "sync"),
            Knob.of("worker_connections", "1000"),
            Knob.of("backlog", "2048"),
            Knob.of("timeout", "30"),
            Knob.of("graceful_timeout", "30"),
            Knob.of("keepalive", "2"),
            Knob.of("max_requests", "0"),
            Knob.of("max_requests_jitter", "0"),
            Knob.of("limit_request_line", "4094"),
            Knob.of("preload_app", "false"),
            Knob.of("reuse_port", "false"));

    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("-w", "workers"),
            Map.entry("--workers", "workers"),
            Map.entry("--threads", "threads"),
            Map.entry("-k", "worker_class"),
            Map.entry("--worker-class", "worker_class"),
            Map.entry("--worker-connections", "worker_connections"),
            Map.entry("--backlog", "backlog"),
            Map.entry("-t", "timeout"),
            Map.entry("--timeout", "timeout"),
            Map.entry("--graceful-timeout", "graceful_timeout"),
            Map.entry("--keep-alive", "keepalive"),
            Map.entry("--max-requests", "max_requests"),
            Map.entry("--max-requests-jitter", "max_requests_jitter"),
            Map.entry("--limit-request-line", "limit_request_line"),
            Map.entry("--access-logfile", "accesslog"),
            Map.entry("-c", "config"),
            Map.entry("--config", "config"),
            Map.entry("--chdir", "chdir"),
            // Named so that their values are not taken for options.
            Map.entry("-b", "bind"),
            Map.entry("--bind", "bind"),
            Map.entry("-e", "env"),
            Map.entry("--env", "env"));

    private static final Map<String, String> SWITCHES =
            Map.of("--preload", "preload_app", "--reuse-port", "reuse_port");

    private static final String USUAL_FILE = "gunicorn.conf.py";
    private static final String ARGUMENTS = "GUNICORN_CMD_ARGS";

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        findings.expect(KNOBS);
        String concurrency = subject.environment().get("WEB_CONCURRENCY");
        if (concurrency != null) {
            findings.put("workers", concurrency, "environment WEB_CONCURRENCY");
        }
        String more = subject.environment().get(ARGUMENTS);
        List<CommandOptions.Option> fromEnvironment = more == null
                ? List.of()
                : CommandOptions.of(Arrays.asList(("- " + more).split("\\s+")), VALUES, SWITCHES);
        List<CommandOptions.Option> fromLine =
                CommandOptions.of(subject.process().arguments(), VALUES, SWITCHES);
        String directory = last(fromLine, "chdir", last(fromEnvironment, "chdir", ""));
        String given = last(fromLine, "config", last(fromEnvironment, "config", ""));
        file(subject, given, subject.absolute(directory, ""), findings);
        put(subject, fromEnvironment, "environment " + ARGUMENTS, findings);
        put(subject, fromLine, "command line", findings);
        titled(subject, findings);
        threaded(findings);
    }

    private static String last(
            List<CommandOptions.Option> options, String setting, String otherwise) {
        String value = otherwise;
        for (CommandOptions.Option option : options) {
            if (option.setting().equals(setting)) {
                value = option.value();
            }
        }
        return value;
    }

    private static void file(
            ConfigurationSubject subject,
            String given,
            String directory,
            ConfigurationFindings findings) {
        if (given.startsWith("python:")) {
            findings.problem("command line", "a module as configuration (expected: a file)");
            return;
        }
        String named = given.startsWith("file:") ? given.substring(5) : given;
        String path = subject.absolute(named.isEmpty() ? USUAL_FILE : named, directory);
        if (named.isEmpty() && !subject.files().exists(path)) {
            return;
        }
        List<PythonAssignments.Assignment> assignments =
                PythonAssignments.read(subject.files(), path);
        if (assignments == null) {
            findings.problem("command line", "the configuration file cannot be read");
            return;
        }
        for (PythonAssignments.Assignment assignment : assignments) {
            if (assignment.value() != null) {
                put(subject, assignment.name(), assignment.value(), assignment.source(), findings);
            } else if (assignment.name().equals("workers")) {
                running(subject, findings, assignment.source() + ", an expression");
            } else if (findings.expects(assignment.name())) {
                findings.problem(
                        assignment.source(),
                        assignment.name() + " is an expression (expected: a number or a text)");
            }
        }
    }

    private static void put(
            ConfigurationSubject subject,
            List<CommandOptions.Option> options,
            String place,
            ConfigurationFindings findings) {
        options.forEach(option -> put(
                subject, option.setting(), option.value(), place + " " + option.flag(), findings));
    }

    private static void put(
            ConfigurationSubject subject,
            String name,
            String value,
            String source,
            ConfigurationFindings findings) {
        switch (name) {
            case "accesslog" -> log(subject, value, source, findings);
            case "worker_class" -> findings.put(name, shortClass(value), source);
            default -> findings.put(name, value, source);
        }
    }

    /**
     * Returns {@code uvicorn} of {@code uvicorn.workers.UvicornWorker}, as such classes are called.
     */
    private static String shortClass(String value) {
        if (value.matches("uvicorn[\\w.]*")) {
            return "uvicorn";
        }
        return value.startsWith("egg:gunicorn#") ? value.substring(13) : value;
    }

    private static void log(
            ConfigurationSubject subject,
            String value,
            String source,
            ConfigurationFindings findings) {
        if (value.equals("-") || value.equals("None")) {
            findings.logsElsewhere(value.equals("-") ? "pipe" : "off", source);
        } else if (!value.isEmpty()) {
            // gunicorn's default format is Apache's combined one with other names.
            findings.accessLog(new AccessLogPlace(
                    subject.absolute(value, ""),
                    "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"",
                    AccessLogPlace.Syntax.APACHE,
                    subject.files().root(),
                    source));
        }
    }

    /** Reports the workers that run where gunicorn's title replaced its command line. */
    private static void titled(ConfigurationSubject subject, ConfigurationFindings findings) {
        List<String> arguments = subject.process().arguments();
        if (!arguments.isEmpty()
                && arguments.getFirst().equals("gunicorn:")
                && findings.get("workers") == null) {
            running(subject, findings, "the command line is replaced by a title");
        }
    }

    private static void running(
            ConfigurationSubject subject, ConfigurationFindings findings, String why) {
        long id = subject.process().id();
        int workers = ForkedWorkers.of(subject.proc(), id);
        if (workers > 0) {
            findings.put(
                    "workers",
                    String.valueOf(workers),
                    "/proc/" + id + "/task/" + id + "/children (" + why + ")");
        }
    }

    /** Sets the class in force: with more than one thread, {@code sync} becomes {@code gthread}. */
    private static void threaded(ConfigurationFindings findings) {
        Setting threads = findings.get("threads");
        if (threads != null
                && threads.value().matches("[1-9]\\d{1,4}|[2-9]")
                && findings.value("worker_class").equals("sync")) {
            findings.put(
                    "worker_class", "gthread", threads.source() + " (sync, changed by threads)");
        }
    }
}
