package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a sample of every two readings. The first call only remembers, since there is no rate without a before. One
 * thread at a time.
 */
public final class HostSampler implements AutoCloseable {

    private final String node;
    private final HostProbe probe;
    private @Nullable HostReading before;

    /** @param node the host's name in every record */
    public HostSampler(String node, HostProbe probe) {
        this.node = node;
        this.probe = probe;
    }

    /** What happened since the last call; null at the first. Never throws. */
    public @Nullable HostSample sample(List<WatchedServer> servers) {
        HostReading now = probe.read(servers);
        HostSample sample = before == null ? null : between(node, before, now);
        before = now;
        return sample;
    }

    /** The sample two readings make. Pure. */
    static HostSample between(String node, HostReading before, HostReading now) {
        double seconds = (now.atNanos() - before.atNanos()) / 1e9;
        return new HostSample(
                node,
                now.atMicros(),
                Math.round(seconds * 1e6),
                cpus(before.cpus(), now.cpus()),
                now.memory(),
                kernel(before.kernel(), now.kernel(), seconds),
                sockets(before.stack(), now.stack(), seconds),
                now.pressure(),
                now.processes(),
                now.threads(),
                now.load1(),
                servers(before.servers(), now.servers(), seconds),
                interfaces(before.interfaces(), now.interfaces(), seconds),
                disks(before.disks(), now.disks(), seconds));
    }

    private static List<CpuShare> cpus(List<CpuTicks> before, List<CpuTicks> now) {
        List<CpuShare> shares = new ArrayList<>();
        for (int i = 0; i < now.size(); i++) {
            CpuTicks b = i < before.size() ? before.get(i) : new CpuTicks(0, 0, 0, 0, 0);
            CpuTicks n = now.get(i);
            long user = Rates.growth(b.user(), n.user());
            long kernel = Rates.growth(b.kernel(), n.kernel());
            // The kernel lets iowait (and idle with it) fall a little: that is no reset, so it counts as nothing.
            long iowait = Math.max(0, n.iowait() - b.iowait());
            long steal = Math.max(0, n.steal() - b.steal());
            long idle = Math.max(0, n.idle() - b.idle());
            double all = user + kernel + iowait + steal + idle;
            shares.add(
                    all > 0
                            ? new CpuShare(user / all, kernel / all, iowait / all, steal / all, idle / all)
                            : new CpuShare(0, 0, 0, 0, 1));
        }
        return shares;
    }

    private static HostSample.KernelRates kernel(
            HostReading.KernelCounters b, HostReading.KernelCounters n, double seconds) {
        Long calls = n.systemCalls();
        Long callsBefore = b.systemCalls();
        return new HostSample.KernelRates(
                Rates.perSecond(b.contextSwitches(), n.contextSwitches(), seconds),
                Rates.perSecond(b.interrupts(), n.interrupts(), seconds),
                Rates.perSecond(b.minorFaults(), n.minorFaults(), seconds),
                Rates.perSecond(b.majorFaults(), n.majorFaults(), seconds),
                calls == null || callsBefore == null ? null : Rates.perSecond(callsBefore, calls, seconds),
                Rates.perSecond(b.swapInPages(), n.swapInPages(), seconds),
                Rates.perSecond(b.swapOutPages(), n.swapOutPages(), seconds));
    }

    private static HostSample.Sockets sockets(HostReading.Stack b, HostReading.Stack n, double seconds) {
        return new HostSample.Sockets(
                n.used(),
                n.tcpInUse(),
                n.tcpOrphan(),
                n.tcpTimeWait(),
                n.tcpMemoryBytes(),
                Rates.perSecond(b.passiveOpens(), n.passiveOpens(), seconds),
                Rates.perSecond(b.listenOverflows(), n.listenOverflows(), seconds),
                Rates.perSecond(b.listenDrops(), n.listenDrops(), seconds),
                Rates.perSecond(b.synCookies(), n.synCookies(), seconds),
                Rates.perSecond(b.retransmitted(), n.retransmitted(), seconds),
                Rates.perSecond(b.sentSegments(), n.sentSegments(), seconds));
    }

    private static List<HostSample.ServerProcesses> servers(
            List<HostReading.Server> before, List<HostReading.Server> now, double seconds) {
        Map<String, HostReading.Server> known = new HashMap<>();
        before.forEach(server -> known.put(server.service(), server));
        List<HostSample.ServerProcesses> servers = new ArrayList<>();
        for (HostReading.Server n : now) {
            HostReading.Server b = known.get(n.service());
            // A server restarted in between begins at zero; one just found has no before: its first rate is left at 0.
            double cores = b == null ? 0 : Math.max(0, n.cpuMillis() - b.cpuMillis()) / 1e3 / Math.max(seconds, 1e-3);
            servers.add(new HostSample.ServerProcesses(
                    n.service(),
                    n.processes(),
                    n.threads(),
                    n.residentBytes(),
                    cores,
                    n.openFiles(),
                    n.openFilesLimit(),
                    n.acceptQueue(),
                    n.acceptQueueLimit()));
        }
        return servers;
    }

    private static List<HostSample.InterfaceRates> interfaces(
            List<HostReading.Interface> before, List<HostReading.Interface> now, double seconds) {
        Map<String, HostReading.Interface> known = new HashMap<>();
        before.forEach(nic -> known.put(nic.name(), nic));
        List<HostSample.InterfaceRates> rates = new ArrayList<>();
        for (HostReading.Interface n : now) {
            HostReading.Interface b = known.getOrDefault(n.name(), n);
            rates.add(new HostSample.InterfaceRates(
                    n.name(),
                    Rates.perSecond(b.receivedBytes(), n.receivedBytes(), seconds),
                    Rates.perSecond(b.sentBytes(), n.sentBytes(), seconds),
                    n.speedBitsPerSecond()));
        }
        return rates;
    }

    private static List<HostSample.DiskRates> disks(
            List<HostReading.Disk> before, List<HostReading.Disk> now, double seconds) {
        Map<String, HostReading.Disk> known = new HashMap<>();
        before.forEach(disk -> known.put(disk.name(), disk));
        List<HostSample.DiskRates> rates = new ArrayList<>();
        for (HostReading.Disk n : now) {
            HostReading.Disk b = known.getOrDefault(n.name(), n);
            double busy = Rates.perSecond(b.busyMillis(), n.busyMillis(), seconds) / 1e3;
            rates.add(new HostSample.DiskRates(
                    n.name(),
                    Rates.perSecond(b.readBytes(), n.readBytes(), seconds),
                    Rates.perSecond(b.writtenBytes(), n.writtenBytes(), seconds),
                    Math.min(1, busy)));
        }
        return rates;
    }

    @Override
    public void close() {
        probe.close();
    }
}
