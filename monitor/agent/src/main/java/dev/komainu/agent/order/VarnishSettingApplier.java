package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.varnish.VarnishAdministration;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.util.List;

/**
 * An applier for parameters of a running Varnish, which apply at once and until it ends
 * (varnishd(1), {@code param.set}). Its command line, from which the next start takes them, is in
 * the operator's unit file and stays the same.
 */
final class VarnishSettingApplier implements SettingApplier {

    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final ProcFiles proc;

    VarnishSettingApplier(OrderJournal journal, DiscoveredServers servers, ProcFiles proc) {
        this.journal = journal;
        this.servers = servers;
        this.proc = proc;
    }

    static boolean isFor(DiscoveredServer server) {
        return server.kind().equals("varnish");
    }

    @Override
    public Change change(
            Order order, DiscoveredServer server, Setting setting, List<Companion> companions)
            throws OrderRefusedException, IOException {
        SettingApplier.refuse(companions);
        return set(order, server, setting.name(), setting.value(), String.valueOf(order.wanted()));
    }

    @Override
    public Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
            throws OrderRefusedException, IOException {
        String before = earlier.before();
        Setting now = DiscoveredServers.setting(server, order.setting());
        if (before == null || now == null) {
            throw OrderRefusedException.untouched(
                    "no-place", order.setting() + ": the earlier value is unknown");
        }
        return set(order, server, now.name(), now.value(), before);
    }

    private Change set(
            Order order, DiscoveredServer server, String name, String before, String requested)
            throws OrderRefusedException, IOException {
        // Called for its checks: the agent must not control another user's server.
        ServerControl.of(server, proc);
        Long id = server.processId();
        VarnishAdministration administration =
                id == null ? null : VarnishAdministration.of(ServerProcess.read(proc, id));
        if (administration == null) {
            throw OrderRefusedException.untouched(
                    "no-place", "varnishadm: not found beside the program of " + server.service());
        }
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        null,
                        null,
                        before,
                        "NOTHING",
                        EpochMicros.now()),
                null);
        String failure = administration.set(name, requested);
        if (failure != null) {
            throw OrderRefusedException.failed(
                    "write", "param.set " + name + " " + requested + ": " + failure, true);
        }
        Setting after = servers.settingAfter(server, name, requested);
        return new Change(
                null,
                before,
                after == null ? null : after.value(),
                "Applied to the running Varnish. Its next start uses the command line.");
    }
}
