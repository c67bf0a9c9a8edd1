package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel settings that tuning a server needs, named as by {@code sysctl}. Those of the protocol
 * stack belong to a network namespace; the values read are those of the agent's own namespace, in
 * which it also found the listening sockets.
 */
final class KernelSettings {

    private static final List<String> SYSCTLS = List.of(
            "net.core.somaxconn",
            "net.core.netdev_max_backlog",
            "net.core.default_qdisc",
            "net.core.rmem_max",
            "net.core.wmem_max",
            "net.core.rmem_default",
            "net.core.wmem_default",
            "net.ipv4.tcp_max_syn_backlog",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.tcp_synack_retries",
            "net.ipv4.tcp_abort_on_overflow",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_max_tw_buckets",
            "net.ipv4.tcp_tw_reuse",
            "net.ipv4.tcp_max_orphans",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_slow_start_after_idle",
            "net.ipv4.tcp_congestion_control",
            "net.ipv4.tcp_fastopen",
            "net.ipv4.tcp_mtu_probing",
            "net.ipv4.tcp_notsent_lowat",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_wmem",
            "net.ipv4.tcp_mem",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.ip_no_pmtu_disc",
            "net.netfilter.nf_conntrack_max",
            "fs.file-max",
            "fs.nr_open",
            "kernel.pid_max",
            "kernel.threads-max",
            "vm.swappiness",
            "vm.overcommit_memory");

    private KernelSettings() {}

    static List<Setting> sysctls(ProcFiles proc) {
        List<Setting> settings = new ArrayList<>();
        for (String name : SYSCTLS) {
            String path = "sys/" + name.replace('.', '/');
            String value = proc.read(path);
            if (value != null && !value.isBlank()) {
                settings.add(new Setting(
                        "sysctl:" + name, value.strip().replaceAll("\\s+", " "), "/proc/" + path));
            }
        }
        return settings;
    }
}
