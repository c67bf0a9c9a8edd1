package dev.komainu.agent.discovery.apache;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.Knob;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Apache directives that tuning needs, with compiled-in defaults (httpd.apache.org: core,
 * mpm_common, prefork, worker, event), and the corrections the modules apply to their values at
 * start.
 */
final class ApacheKnobs {

    private static final List<Knob> CORE = List.of(
            Knob.of("ListenBacklog", "511"),
            Knob.of("ListenCoresBucketsRatio", "").since("2.4.17", "0"),
            Knob.of("KeepAlive", "On"),
            Knob.of("KeepAliveTimeout", "15").since("2.2", "5"),
            Knob.of("MaxKeepAliveRequests", "100"),
            Knob.of("Timeout", "300").since("2.4", "60"),
            Knob.of("MaxConnectionsPerChild", "0"),
            Knob.of("GracefulShutdownTimeout", "0"),
            Knob.of("EnableSendfile", "on").since("2.4", "off"),
            Knob.of("EnableMMAP", "on"),
            Knob.of("HostnameLookups", "off"),
            Knob.of("LimitRequestFields", "100"),
            Knob.of("SendBufferSize", "0"),
            Knob.of("ReceiveBufferSize", "0"),
            Knob.of("MaxMemFree", "").since("2.4", "2048"),
            Knob.of("ThreadStackSize", ""),
            Knob.of("ProxyTimeout", ""),
            Knob.of("SetOutputFilter", "none"));

    private static final List<Knob> PREFORK = List.of(
            Knob.of("StartServers", "5"),
            Knob.of("MinSpareServers", "5"),
            Knob.of("MaxSpareServers", "10"),
            Knob.of("MaxRequestWorkers", "256"),
            Knob.of("ServerLimit", "256"));

    private static final List<Knob> THREADED = List.of(
            Knob.of("StartServers", "3"),
            Knob.of("MinSpareThreads", "75"),
            Knob.of("MaxSpareThreads", "250"),
            Knob.of("ThreadsPerChild", "25"),
            Knob.of("ThreadLimit", "64"),
            Knob.of("MaxRequestWorkers", "400"),
            Knob.of("ServerLimit", "16"));

    private static final Knob ASYNC = Knob.of("AsyncRequestWorkerFactor", "2");

    private static final Map<String, String> OLD_NAMES = Map.of(
            "maxclients", "MaxRequestWorkers", "maxrequestsperchild", "MaxConnectionsPerChild");

    private final String mpm;
    private final Map<String, String> names;
    private final ConfigurationFindings findings;

    ApacheKnobs(String mpm, ConfigurationFindings findings) {
        this.mpm = mpm;
        this.findings = findings;
        List<Knob> knobs = new ArrayList<>(mpm.equals("prefork") ? PREFORK : THREADED);
        if (mpm.equals("event")) {
            knobs.add(ASYNC);
        }
        knobs.addAll(CORE);
        findings.expect(knobs);
        this.names = Stream.concat(
                        knobs.stream()
                                .map(Knob::name)
                                .map(name -> Map.entry(name.toLowerCase(Locale.ROOT), name)),
                        OLD_NAMES.entrySet().stream())
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * Returns the name under which a directive is reported; null for a directive that is not
     * reported.
     */
    @Nullable
    String reportedName(String lowerCaseName) {
        return names.get(lowerCaseName);
    }

    /**
     * Corrects values as the module does at its start (prefork_check_config, worker_…,
     * event_check_config).
     */
    void reconcile() {
        long limit = number("ServerLimit");
        long workers = number("MaxRequestWorkers");
        if (limit < 1 || workers < 1) {
            return;
        }
        if (mpm.equals("prefork")) {
            change("MaxRequestWorkers", workers, Math.min(workers, limit), "ServerLimit " + limit);
            return;
        }
        long threadLimit = number("ThreadLimit");
        long threads = number("ThreadsPerChild");
        if (threads < 1 || threadLimit < 1) {
            return;
        }
        long perChild = Math.min(threads, threadLimit);
        change("ThreadsPerChild", threads, perChild, "ThreadLimit " + threadLimit);
        long raised = Math.max(workers, perChild);
        long children = Math.min(raised / perChild, limit);
        change(
                "MaxRequestWorkers",
                workers,
                children * perChild,
                "whole children of " + perChild + " threads, ServerLimit " + limit);
        long least = number("MinSpareThreads") + perChild;
        long spare = number("MaxSpareThreads");
        change("MaxSpareThreads", spare, Math.max(spare, least), "MinSpareThreads and one child");
    }

    private void change(String name, long written, long effective, String reason) {
        if (written != effective) {
            var setting = findings.get(name);
            String source = setting == null ? findings.defaultSource() : setting.source();
            findings.put(
                    name,
                    String.valueOf(effective),
                    source + " (" + written + ", changed by " + reason + ")");
        }
    }

    private long number(String name) {
        String value = findings.value(name);
        return value.matches("\\d{1,9}") ? Long.parseLong(value) : 0;
    }
}
