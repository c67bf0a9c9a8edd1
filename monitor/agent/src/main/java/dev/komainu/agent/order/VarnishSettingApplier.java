package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.discovery.varnish.VarnishAdministration;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;

/**
 * Parameters of a running Varnish, which takes them at once and keeps them until it ends
 * (varnishd(1), {@code param.set}). Its command line, from which the next start takes them, stands
 * in somebody's unit file and stays as it is.
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
    public Done change(Order order, DiscoveredServer server, Setting setting)
            throws OrderRefusedException, IOException {
        return set(order, server, setting.name(), setting.value(), String.valueOf(order.wanted()));
    }

    @Override
    public Done restore(Order order, DiscoveredServer server, OrderJournal.Begun earlier)
            throws OrderRefusedException, IOException {
        String before = earlier.before();
        Setting now = DiscoveredServers.setting(server, order.setting());
        if (before == null || now == null) {
            throw OrderRefusedException.untouched(
                    "no-place", order.setting() + ": nothing is known of before");
        }
        return set(order, server, now.name(), now.value(), before);
    }

    private Done set(
            Order order, DiscoveredServer server, String name, String before, String wanted)
            throws OrderRefusedException, IOException {
        // Asked for its checks: somebody else's server is not ours to handle.
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
                new OrderJournal.Begun(
                        server.service(),
                        order.setting(),
                        null,
                        null,
                        before,
                        "NOTHING",
                        EpochMicros.now()),
                null);
        String objection = administration.set(name, wanted);
        if (objection != null) {
            throw OrderRefusedException.failed(
                    "write", "param.set " + name + " " + wanted + ": " + objection, true);
        }
        Setting after = servers.settingAfter(server, name, wanted);
        return new Done(
                null,
                before,
                after == null ? null : after.value(),
                "The running Varnish; its next start takes what its command line says.");
    }
}
