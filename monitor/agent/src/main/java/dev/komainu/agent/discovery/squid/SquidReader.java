package dev.komainu.agent.discovery.squid;

import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.discovery.squid.SquidFile.Directive;
import dev.komainu.agent.host.linux.ProcessLimits;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a Squid's configuration, one for all its ports: its cache, its time limits, its peers. */
public final class SquidReader implements ConfigurationReader {

    /** Directives with the defaults of {@code squid.conf.documented} of 3.5 to 6. */
    private static final List<Knob> KNOBS = List.of(
            Knob.of("workers", "1"),
            Knob.of("max_filedescriptors", ""),
            Knob.of("cache_mem", "256 MB"),
            Knob.of("maximum_object_size_in_memory", "512 KB"),
            Knob.of("maximum_object_size", "4 MB"),
            Knob.of("minimum_object_size", "0 KB"),
            Knob.of("memory_pools", "on"),
            Knob.of("memory_pools_limit", "5 MB"),
            Knob.of("memory_replacement_policy", "lru"),
            Knob.of("cache_replacement_policy", "lru"),
            Knob.of("client_lifetime", "1 day"),
            Knob.of("client_persistent_connections", "on"),
            Knob.of("server_persistent_connections", "on"),
            Knob.of("pconn_lifetime", "").since("3.5", "0 seconds"),
            Knob.of("client_idle_pconn_timeout", "2 minutes"),
            Knob.of("server_idle_pconn_timeout", "1 minute"),
            Knob.of("request_timeout", "5 minutes"),
            Knob.of("request_start_timeout", "").since("3.5", "5 minutes"),
            Knob.of("read_timeout", "15 minutes"),
            Knob.of("write_timeout", "15 minutes"),
            Knob.of("connect_timeout", "1 minute"),
            Knob.of("peer_connect_timeout", "30 seconds"),
            Knob.of("forward_timeout", "4 minutes"),
            Knob.of("forward_max_tries", "10").since("3.5", "25"),
            Knob.of("dns_timeout", "30 seconds"),
            Knob.of("connect_retries", "0"),
            Knob.of("pipeline_prefetch", "off").since("3.4", "0"),
            Knob.of("half_closed_clients", "off"),
            Knob.of("detect_broken_pconn", "off"),
            Knob.of("collapsed_forwarding", "").since("3.5", "off"),
            Knob.of("quick_abort_min", "16 KB"),
            Knob.of("quick_abort_max", "16 KB"),
            Knob.of("read_ahead_gap", "16 KB"),
            Knob.of("client_db", "on"),
            Knob.of("client_request_buffer_max_size", "512 KB"),
            Knob.of("tcp_recv_bufsize", "0 bytes"),
            Knob.of("max_open_disk_fds", "0"),
            Knob.of("shutdown_lifetime", "30 seconds"));

    private static final Map<String, String> OLD_NAMES = Map.of(
            "max_filedesc", "max_filedescriptors",
            "pconn_timeout", "server_idle_pconn_timeout",
            "persistent_request_timeout", "client_idle_pconn_timeout");

    private static final List<String> DEFAULT_FILES = List.of(
            "/etc/squid/squid.conf",
            "/etc/squid3/squid.conf",
            "/usr/local/squid/etc/squid.conf",
            "/etc/squid.conf");
    private static final Pattern LOG_DIRECTORY = Pattern.compile("--with-logdir=(/[^'\\s]+)");
    private static final Pattern HTTP_PORT = Pattern.compile("(?:.*:)?(\\d{1,5})");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        String given = subject.process().option("-f");
        String path = given == null
                ? DEFAULT_FILES.stream()
                        .filter(subject.files()::exists)
                        .findFirst()
                        .orElse(DEFAULT_FILES.getFirst())
                : subject.absolute(given, "");
        String service = subject.process().option("-n");
        List<Directive> directives = SquidFile.read(
                subject.files(), path, service == null ? "squid" : service, findings);
        findings.expect(KNOBS);
        int disks = 0;
        for (Directive directive : directives) {
            String name = OLD_NAMES.getOrDefault(directive.name(), directive.name());
            switch (name) {
                case "cache_dir" -> {
                    disks++;
                    findings.putDerived(
                            disks == 1 ? "cache_dir" : "cache_dir:" + disks,
                            directive.argument(0) + " " + directive.argument(2) + " MB",
                            directive.source());
                }
                case "cache_peer" -> peer(directive, findings);
                case "http_port", "https_port" -> port(directive, subject.port(), findings);
                default -> {
                    if (directive.words().size() > 1) {
                        findings.put(name, directive.value(), directive.source());
                    }
                }
            }
        }
        if (disks == 0) {
            findings.putDerived("cache_dir", "none", findings.defaultSource());
        }
        descriptors(subject, findings);
        new SquidLogs(subject.files().root(), findings)
                .read(
                        directives,
                        logDirectory(subject.programOutput().apply("-v")) + "/access.log");
    }

    /**
     * Adds {@code cache_peer HOST TYPE HTTP-PORT ICP-PORT OPTIONS}. The options may contain a login
     * and are not read.
     */
    private static void peer(Directive peer, ConfigurationFindings findings) {
        String port = peer.argument(2);
        if (port.matches("\\d{1,5}")) {
            String host = peer.argument(0);
            String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
            findings.upstream(Upstream.parse(name + ":" + port, 3128, peer.source()));
        }
    }

    private static void port(Directive line, int port, ConfigurationFindings findings) {
        Matcher matcher = HTTP_PORT.matcher(line.argument(0));
        if (!matcher.matches() || !String.valueOf(port).equals(matcher.group(1))) {
            return;
        }
        String mode = "forward";
        for (String word : line.words()) {
            mode = switch (word) {
                case "accel", "intercept", "tproxy" -> word;
                case "transparent" -> "intercept";
                default -> mode;
            };
        }
        findings.putDerived("mode", mode, line.source());
    }

    /**
     * Sets the default: without a directive the soft limit applies. Squid passes a quarter of it to
     * {@code listen} (comm.cc).
     */
    private static void descriptors(ConfigurationSubject subject, ConfigurationFindings findings) {
        Setting configured = findings.get("max_filedescriptors");
        Long limit =
                ProcessLimits.openFiles(subject.proc().read(subject.process().id() + "/limits"));
        if (configured == null && limit != null && limit != ProcessLimits.UNLIMITED) {
            findings.put(
                    "max_filedescriptors",
                    limit.toString(),
                    findings.defaultSource() + ", the limit of open files in /proc/"
                            + subject.process().id() + "/limits");
        }
        Setting effective = findings.get("max_filedescriptors");
        if (effective != null && effective.value().matches("\\d{1,9}")) {
            findings.putDerived(
                    "backlog",
                    String.valueOf(Long.parseLong(effective.value()) / 4),
                    findings.defaultSource() + ", a quarter of max_filedescriptors");
        }
    }

    private static String logDirectory(String about) {
        Matcher matcher = LOG_DIRECTORY.matcher(about);
        @Nullable String directory = matcher.find() ? matcher.group(1) : null;
        return directory == null ? "/var/log/squid" : directory;
    }
}
