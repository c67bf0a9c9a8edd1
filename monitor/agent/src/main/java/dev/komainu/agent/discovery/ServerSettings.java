package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcStat;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds where a server's settings stand and reads them; what cannot be found is left out. One thread at a time. */
final class ServerSettings {

    private static final Pattern RUNNING_MPM = Pattern.compile("mod_mpm_(prefork|worker|event)\\.so");

    /** Options of our own proxy that tuning may know; a token file's name is not among them. */
    private static final List<String> PROXY_OPTIONS =
            List.of("--listen", "--memory", "--disk", "--workers", "--origin");

    private final ProcFiles proc;
    private final ProgramOutput programs;

    ServerSettings(ProcFiles proc, ProgramOutput programs) {
        this.proc = proc;
        this.programs = programs;
    }

    @Nullable
    String version(ServerKind kind, ServerProcess process) {
        return VersionText.version(programs.of(process, kind.versionFlag()));
    }

    List<Setting> of(ServerKind kind, ServerProcess process, int port) {
        List<Setting> settings = new ArrayList<>();
        switch (kind) {
            case NGINX -> settings.addAll(nginx(process, port));
            case APACHE -> settings.addAll(apache(process));
            case TOMCAT -> settings.addAll(tomcat(process, port));
            case KOMAINU -> settings.addAll(komainu(process));
            default -> {
                // Known by its process limits and the sysctls alone.
            }
        }
        settings.addAll(SystemSettings.limits(proc, process.id()));
        settings.addAll(SystemSettings.sysctls(proc));
        return settings;
    }

    private List<Setting> nginx(ServerProcess process, int port) {
        String about = programs.of(process, "-V");
        String prefix =
                orElse(process.option("-p"), orElse(VersionText.nginxArgument(about, "prefix"), "/usr/share/nginx"));
        String file = orElse(
                process.option("-c"), orElse(VersionText.nginxArgument(about, "conf-path"), "/etc/nginx/nginx.conf"));
        List<Setting> settings =
                NginxSettings.read(SettingsSource.of(process, proc), absolute(file, prefix, process), port);
        return settings.stream().map(this::spelledOut).toList();
    }

    /** {@code worker_processes auto} is one for each CPU: told as that number. */
    private Setting spelledOut(Setting setting) {
        if (!setting.name().equals("worker_processes") || !setting.value().equals("auto")) {
            return setting;
        }
        int cpus = ProcStat.parse(proc.text("stat")).cpus().size();
        return new Setting(setting.name(), String.valueOf(Math.max(1, cpus)), setting.source() + " (auto)");
    }

    private List<Setting> apache(ServerProcess process) {
        String about = programs.of(process, "-V");
        String root =
                orElse(process.option("-d"), orElse(VersionText.apacheDefine(about, "HTTPD_ROOT"), "/etc/apache2"));
        String file = orElse(
                process.option("-f"), orElse(VersionText.apacheDefine(about, "SERVER_CONFIG_FILE"), "apache2.conf"));
        Matcher mpm = RUNNING_MPM.matcher(proc.text(process.id() + "/maps"));
        List<String> defines = new ArrayList<>();
        List<String> arguments = process.arguments();
        for (int i = 1; i + 1 < arguments.size(); i++) {
            if (arguments.get(i).equals("-D")) {
                defines.add(arguments.get(i + 1));
            }
        }
        return ApacheSettings.read(
                SettingsSource.of(process, proc),
                file,
                absolute(root, "/", process),
                mpm.find() ? Objects.requireNonNull(mpm.group(1)) : "event",
                pathVariables(process),
                defines);
    }

    /** Only Apache's own variables: what else stands in an environment is nobody's business. */
    private Map<String, String> pathVariables(ServerProcess process) {
        Map<String, String> variables = new HashMap<>();
        for (String entry : proc.text(process.id() + "/environ").split("\0")) {
            int equals = entry.indexOf('=');
            if (entry.startsWith("APACHE_") && equals > 0) {
                variables.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return variables;
    }

    private List<Setting> tomcat(ServerProcess process, int port) {
        String base = process.option("-Dcatalina.base");
        return base == null
                ? List.of()
                : TomcatSettings.read(SettingsSource.of(process, proc), base + "/conf/server.xml", port);
    }

    private static List<Setting> komainu(ServerProcess process) {
        List<Setting> settings = new ArrayList<>();
        for (String option : PROXY_OPTIONS) {
            String value = process.option(option);
            if (value != null && value.indexOf('@') < 0) {
                settings.add(new Setting(option.substring(2), value, "command line"));
            }
        }
        return settings;
    }

    private static String absolute(String path, String base, ServerProcess process) {
        if (path.startsWith("/")) {
            return path;
        }
        String from = base.startsWith("/") ? base : orElse(process.directory(), "") + "/" + base;
        return from + (from.endsWith("/") ? "" : "/") + path;
    }

    private static String orElse(@Nullable String value, String other) {
        return value == null ? other : value;
    }
}
