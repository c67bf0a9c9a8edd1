package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.host.linux.ControlGroupMounts;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An applier for the limits of a server's own control group (cgroups(7)), which apply at once and
 * until the group is removed: systemd and container runtimes write their own values at the next
 * start. The limit of a parent group is not changed, because it is shared with other services; nor
 * is that of a group that the agent runs in.
 */
final class ControlGroupApplier implements SettingApplier {

    /** Files of version 1 by the names that discovery reports. */
    private static final Map<String, String> VERSION_1 = Map.of(
            "cpu.max", "cpu.cfs_quota_us",
            "memory.max", "memory.limit_in_bytes",
            "pids.max", "pids.max");

    private static final String PREFIX = "cgroup:";
    private static final Pattern LIMIT =
            Pattern.compile("(max|[1-9]\\d{0,17})(?: ([1-9]\\d{2,9}))?");
    /** The smallest quota that the kernel accepts, in microseconds (sched-bwc). */
    private static final long LEAST_QUOTA_MICROS = 1_000;

    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final ProcFiles proc;

    ControlGroupApplier(OrderJournal journal, DiscoveredServers servers, ProcFiles proc) {
        this.journal = journal;
        this.servers = servers;
        this.proc = proc;
    }

    static boolean isFor(String setting) {
        return setting.startsWith(PREFIX) && VERSION_1.containsKey(setting.substring(7));
    }

    @Override
    public Change change(
            Order order, DiscoveredServer server, Setting setting, List<Companion> companions)
            throws OrderRefusedException, IOException {
        SettingApplier.refuse(companions);
        return set(order, server, setting, String.valueOf(order.wanted()));
    }

    @Override
    public Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
            throws OrderRefusedException, IOException {
        Setting now = DiscoveredServers.setting(server, order.setting());
        String before = earlier.before();
        if (now == null || before == null) {
            throw OrderRefusedException.untouched(
                    "no-place", order.setting() + ": the earlier value is unknown");
        }
        return set(order, server, now, before);
    }

    private Change set(Order order, DiscoveredServer server, Setting now, String requested)
            throws OrderRefusedException, IOException {
        String name = order.setting().substring(PREFIX.length());
        // Called for its checks: the agent must not control another user's server.
        ServerControl.of(server, proc);
        Path file = ownFile(server, name);
        if (!file.toString().equals(now.source())) {
            throw OrderRefusedException.untouched(
                    "no-place", now.source() + ": a parent group's limit (expected: " + file + ")");
        }
        String written = written(name, file, requested);
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        null,
                        null,
                        now.value(),
                        "NOTHING",
                        EpochMicros.now()),
                null);
        try {
            Files.writeString(file, written);
        } catch (IOException e) {
            throw OrderRefusedException.failed(
                    "write", file + ": " + written + " (refused: " + e.getMessage() + ")", true);
        }
        Setting after = servers.settingAfter(server, order.setting(), requested);
        return new Change(
                null,
                now.value(),
                after == null ? null : after.value(),
                "Applied to the control group. The next start of the service may set its own value again.");
    }

    /** Returns the file of the server's own group, in which no other service runs. */
    private Path ownFile(DiscoveredServer server, String name) throws OrderRefusedException {
        ControlGroupMounts mounts = ControlGroupMounts.of(proc);
        String controller = name.substring(0, name.indexOf('.'));
        List<Path> agents = mounts.places(proc.text("self/cgroup")).stream()
                .flatMap(place -> place.levels().stream())
                .toList();
        for (ControlGroupMounts.Place place :
                mounts.places(proc.text(server.processId() + "/cgroup"))) {
            if (place.has(controller) && place.levels().size() > 1) {
                Path group = place.levels().getFirst();
                if (agents.contains(group)) {
                    throw OrderRefusedException.untouched(
                            "not-allowed",
                            group + ": the agent runs in this group (expected: the server's own)");
                }
                return group.resolve(place.unified() ? name : VERSION_1.getOrDefault(name, name));
            }
        }
        throw OrderRefusedException.untouched(
                "no-place", server.service() + ": no control group of its own for " + name);
    }

    /** Returns the text that the group's file accepts. */
    private static String written(String name, Path file, String requested)
            throws OrderRefusedException {
        Matcher limit = LIMIT.matcher(requested);
        boolean quota = name.equals("cpu.max");
        String amount = limit.matches() ? String.valueOf(limit.group(1)) : "0";
        boolean unlimited = amount.equals("max");
        if (amount.equals("0")
                || (limit.group(2) != null && !quota)
                || (quota && !unlimited && Long.parseLong(amount) < LEAST_QUOTA_MICROS)) {
            throw OrderRefusedException.untouched(
                    "malformed", name + ": " + requested + " (expected: a positive number)");
        }
        // The quota of version 1 is alone in its file; its period is in another one and stays.
        String last = String.valueOf(file.getFileName());
        if (last.equals("cpu.cfs_quota_us") || last.equals("memory.limit_in_bytes")) {
            return unlimited ? "-1" : amount;
        }
        return requested;
    }
}
