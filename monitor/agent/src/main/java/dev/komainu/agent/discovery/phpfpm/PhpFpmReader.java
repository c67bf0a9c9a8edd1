package dev.komainu.agent.discovery.phpfpm;

import dev.komainu.agent.discovery.configuration.ConfigurationFiles;
import dev.komainu.agent.discovery.configuration.ConfigurationFindings;
import dev.komainu.agent.discovery.configuration.ConfigurationReader;
import dev.komainu.agent.discovery.configuration.ConfigurationSubject;
import dev.komainu.agent.discovery.configuration.IniFile;
import dev.komainu.agent.discovery.configuration.Knob;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a php-fpm's configuration for one port or Unix socket: the global section, and the pool
 * that listens there.
 */
public final class PhpFpmReader implements ConfigurationReader {

    /** Directives with the defaults of PHP 7 and 8 (fpm_conf.c). */
    private static final List<Knob> KNOBS = List.of(
            Knob.of("pm", ""),
            Knob.of("pm.max_children", ""),
            Knob.of("pm.start_servers", ""),
            Knob.of("pm.min_spare_servers", ""),
            Knob.of("pm.max_spare_servers", ""),
            Knob.of("pm.process_idle_timeout", "10s"),
            Knob.of("pm.max_requests", "0"),
            Knob.of("listen.backlog", "511"),
            Knob.of("request_terminate_timeout", "0"),
            Knob.of("request_slowlog_timeout", "0"),
            Knob.of("rlimit_files", ""),
            Knob.of("process.max", "0"),
            Knob.of("process_control_timeout", "0"));

    /** Directives of the global section; the others count in the pool only. */
    private static final List<String> GLOBAL =
            List.of("process.max", "process_control_timeout", "rlimit_files");

    private static final Pattern TITLE = Pattern.compile("master process \\((/[^)]{1,1000})\\)");
    private static final Pattern MAJOR = Pattern.compile("(\\d+\\.\\d+).*");

    @Override
    public void read(ConfigurationSubject subject, ConfigurationFindings findings) {
        findings.expect(KNOBS);
        String path = path(subject);
        List<IniFile.Entry> entries = new ArrayList<>();
        follow(subject, path, path, "", 0, entries, findings);
        String pool = pool(entries, subject);
        if (pool == null) {
            String place = subject.socketPath();
            findings.problem(
                    path,
                    "no pool listens on " + (place == null ? "port " + subject.port() : place));
        }
        for (IniFile.Entry entry : entries) {
            boolean global = entry.section().equals("global") && GLOBAL.contains(entry.name());
            if (global || entry.section().equals(pool)) {
                put(entry, global, findings);
            }
        }
        findings.putDerived("protocol", "fastcgi", findings.defaultSource());
        startServers(findings);
    }

    private static String path(ConfigurationSubject subject) {
        Matcher title = TITLE.matcher(String.join(" ", subject.process().arguments()));
        if (title.find()) {
            return String.valueOf(title.group(1));
        }
        for (String flag : List.of("-y", "--fpm-config")) {
            String given = subject.process().option(flag);
            if (given != null) {
                return subject.absolute(given, "");
            }
        }
        Matcher version = MAJOR.matcher(String.valueOf(subject.version()));
        List<String> usual = new ArrayList<>();
        if (version.matches()) {
            usual.add("/etc/php/" + version.group(1) + "/fpm/php-fpm.conf");
        }
        usual.add("/etc/php-fpm.conf");
        usual.add("/usr/local/etc/php-fpm.conf");
        return usual.stream().filter(subject.files()::exists).findFirst().orElse(usual.getFirst());
    }

    /** Adds a file's entries, with those of its includes in their place. */
    private static void follow(
            ConfigurationSubject subject,
            String path,
            String referrer,
            String section,
            int depth,
            List<IniFile.Entry> entries,
            ConfigurationFindings findings) {
        List<IniFile.Entry> own = IniFile.read(subject.files(), path);
        if (own == null) {
            findings.problem(referrer, "cannot be read (expected: the server's configuration)");
            return;
        }
        for (IniFile.Entry entry : own) {
            if (!entry.name().equals("include")) {
                entries.add(
                        entry.section().isEmpty()
                                ? new IniFile.Entry(
                                        section, entry.name(), entry.value(), entry.source())
                                : entry);
            } else if (depth >= ConfigurationFiles.MAX_DEPTH) {
                findings.problem(
                        entry.source(),
                        "include not followed (expected: at most 10 nested includes)");
            } else {
                String pattern = subject.absolute(entry.value(), parent(path));
                for (String file : subject.files().matching(pattern)) {
                    follow(
                            subject,
                            file,
                            entry.source(),
                            entry.section().isEmpty() ? section : entry.section(),
                            depth + 1,
                            entries,
                            findings);
                }
            }
        }
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }

    /** Returns the section that listens there; null when there is none. */
    private static @org.jspecify.annotations.Nullable String pool(
            List<IniFile.Entry> entries, ConfigurationSubject subject) {
        for (IniFile.Entry entry : entries) {
            if (entry.name().equals("listen")
                    && !entry.section().equals("global")
                    && subject.listensAt(entry.value().replace("$pool", entry.section()))) {
                return entry.section();
            }
        }
        return null;
    }

    private static void put(IniFile.Entry entry, boolean global, ConfigurationFindings findings) {
        switch (entry.name()) {
            case "pm.status_path" -> findings.putDerived("status-page", "on", entry.source());
            case "php_admin_value[memory_limit]", "php_value[memory_limit]" ->
                findings.putDerived("memory_limit", entry.value(), entry.source());
            default -> {
                // A pool's own value has precedence over the global one.
                if (global) {
                    findings.putIfAbsent(entry.name(), entry.value(), entry.source());
                } else {
                    findings.put(entry.name(), entry.value(), entry.source());
                }
            }
        }
    }

    /**
     * Sets the computed default of {@code pm = dynamic}: between both numbers of spare processes.
     */
    private static void startServers(ConfigurationFindings findings) {
        Setting least = findings.get("pm.min_spare_servers");
        Setting most = findings.get("pm.max_spare_servers");
        if (findings.get("pm.start_servers") == null
                && findings.value("pm").toLowerCase(Locale.ROOT).equals("dynamic")
                && least != null
                && most != null
                && least.value().matches("\\d{1,6}")
                && most.value().matches("\\d{1,6}")) {
            int low = Integer.parseInt(least.value());
            int high = Integer.parseInt(most.value());
            findings.put(
                    "pm.start_servers",
                    String.valueOf(low + (high - low) / 2),
                    findings.defaultSource()
                            + ", between pm.min_spare_servers and pm.max_spare_servers");
        }
    }
}
