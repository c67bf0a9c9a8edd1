package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessLimits;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the operating system allows a server: its process limits and the protocol stack's knobs. */
final class SystemSettings {

    private static final List<String> SYSCTLS = List.of(
            "net.core.somaxconn",
            "net.core.netdev_max_backlog",
            "net.core.rmem_max",
            "net.core.wmem_max",
            "net.ipv4.tcp_max_syn_backlog",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.tcp_abort_on_overflow",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_max_tw_buckets",
            "net.ipv4.tcp_tw_reuse",
            "net.ipv4.tcp_max_orphans",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_slow_start_after_idle",
            "net.ipv4.tcp_congestion_control",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.ipv4.tcp_mem",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_no_pmtu_disc",
            "fs.file-max",
            "fs.nr_open",
            "kernel.pid_max",
            "vm.swappiness",
            "vm.overcommit_memory");

    private SystemSettings() {}

    static List<Setting> sysctls(ProcFiles proc) {
        List<Setting> settings = new ArrayList<>();
        for (String name : SYSCTLS) {
            String path = "sys/" + name.replace('.', '/');
            String value = proc.read(path);
            if (value != null) {
                settings.add(new Setting("sysctl:" + name, value.strip().replaceAll("\\s+", " "), "/proc/" + path));
            }
        }
        return settings;
    }

    static List<Setting> limits(ProcFiles proc, long processId) {
        List<Setting> settings = new ArrayList<>();
        String text = proc.read(processId + "/limits");
        String source = "/proc/" + processId + "/limits";
        add(settings, "limit:nofile", ProcessLimits.openFiles(text), source);
        add(settings, "limit:nproc", ProcessLimits.processes(text), source);
        return settings;
    }

    private static void add(List<Setting> settings, String name, @Nullable Long value, String source) {
        if (value != null) {
            settings.add(new Setting(name, value == ProcessLimits.UNLIMITED ? "unlimited" : value.toString(), source));
        }
    }
}
