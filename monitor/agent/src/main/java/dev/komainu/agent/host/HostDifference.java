package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.BusiestPrograms;
import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.TrafficControl;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The difference of two readings, per second. One thread at a time. */
final class HostDifference {

    private final HostReading before;
    private final HostReading now;
    private final double seconds;
    private double usedCores = -1;

    HostDifference(HostReading before, HostReading now) {
        this.before = before;
        this.now = now;
        this.seconds = (now.atNanos() - before.atNanos()) / 1e9;
    }

    long micros() {
        return Math.round(seconds * 1e6);
    }

    private double rate(long earlier, long later) {
        return Rates.perSecond(earlier, later, seconds);
    }

    /**
     * Returns the shares of each CPU. A CPU that was just added has no earlier counters; it is
     * reported from the next sample on.
     */
    List<CpuShare> cpus() {
        List<CpuShare> shares = new ArrayList<>(now.resources().cpus().size());
        int from = 0;
        for (CpuTicks n : now.resources().cpus()) {
            while (from < before.resources().cpus().size()
                    && before.resources().cpus().get(from).number() < n.number()) {
                from++;
            }
            if (from < before.resources().cpus().size()
                    && before.resources().cpus().get(from).number() == n.number()) {
                shares.add(share(before.resources().cpus().get(from), n));
            }
        }
        return shares;
    }

    private static CpuShare share(CpuTicks b, CpuTicks n) {
        long user = Rates.growth(b.user(), n.user());
        long kernel = Rates.growth(b.kernel(), n.kernel());
        // The kernel may decrease iowait, and idle with it, a little. This is no reset, so it
        // counts as zero.
        long iowait = Math.max(0, n.iowait() - b.iowait());
        long steal = Math.max(0, n.steal() - b.steal());
        long idle = Math.max(0, n.idle() - b.idle());
        double all = (double) user + kernel + iowait + steal + idle;
        Double softirq = b.softirq() < 0 || n.softirq() < 0 || all <= 0
                ? null
                : Double.valueOf(Rates.growth(b.softirq(), n.softirq()) / all);
        return all > 0
                ? new CpuShare(
                        user / all, kernel / all, iowait / all, steal / all, idle / all, softirq)
                : new CpuShare(0, 0, 0, 0, 1);
    }

    HostSample.KernelRates kernel(@Nullable Double systemCalls) {
        HostReading.KernelCounters b = before.kernel();
        HostReading.KernelCounters n = now.kernel();
        return new HostSample.KernelRates(
                rate(b.contextSwitches(), n.contextSwitches()),
                rate(b.interrupts(), n.interrupts()),
                rate(b.minorFaults(), n.minorFaults()),
                rate(b.majorFaults(), n.majorFaults()),
                systemCalls,
                rate(b.swapInPages(), n.swapInPages()),
                rate(b.swapOutPages(), n.swapOutPages()),
                readWriteCallGrowth());
    }

    /**
     * Returns the growth of read and write calls per second. A server that stopped takes its calls
     * out of the sum; a decrease is neither growth nor a reset.
     */
    private @Nullable Double readWriteCallGrowth() {
        Long b = before.kernel().readWriteCalls();
        Long n = now.kernel().readWriteCalls();
        return b == null || n == null || seconds <= 0
                ? null
                : Double.valueOf(Math.max(0, n - b) / seconds);
    }

    HostSample.Sockets sockets() {
        HostReading.Stack b = before.network().stack();
        HostReading.Stack n = now.network().stack();
        return new HostSample.Sockets(
                n.used(),
                n.tcpInUse(),
                n.tcpOrphan(),
                n.tcpTimeWait(),
                n.tcpMemoryBytes(),
                new HostSample.Sockets.Rates(
                        rate(b.events().passiveOpens(), n.events().passiveOpens()),
                        rate(b.events().listenOverflows(), n.events().listenOverflows()),
                        rate(b.events().listenDrops(), n.events().listenDrops()),
                        rate(b.events().synCookies(), n.events().synCookies()),
                        rate(b.events().retransmitted(), n.events().retransmitted()),
                        rate(b.events().sentSegments(), n.events().sentSegments())),
                n.tcpMemoryLimitBytes());
    }

    List<HostSample.ServerProcesses> servers() {
        List<HostSample.ServerProcesses> servers = new ArrayList<>(now.servers().size());
        for (HostReading.Server n : now.servers()) {
            HostReading.Server b =
                    named(before.servers(), HostReading.Server::service, n.service());
            HostReading.Processes processesNow = n.processes();
            HostReading.Processes processesBefore = b == null ? null : b.processes();
            servers.add(new HostSample.ServerProcesses(
                    n.service(),
                    new HostSample.ServerProcesses.Use(
                            processesNow == null ? 0 : processesNow.count(),
                            processesNow == null ? 0 : processesNow.threads(),
                            processesNow == null ? 0 : processesNow.residentBytes(),
                            cores(processesBefore, processesNow)),
                    new HostSample.ServerProcesses.OpenFiles(
                            processesNow == null ? null : processesNow.openFiles(),
                            processesNow == null ? null : processesNow.openFilesLimit()),
                    new HostSample.ServerProcesses.AcceptQueue(
                            n.acceptQueue(),
                            n.acceptQueueLimit(),
                            b == null ? null : growthPerSecond(b.listenDrops(), n.listenDrops())),
                    work(processesBefore, processesNow),
                    waits(processesBefore, processesNow),
                    ControlGroupDifference.between(
                            b == null ? null : b.group(), n.group(), seconds),
                    n.ports(),
                    details(b, n, cores(processesBefore, processesNow))));
        }
        return servers;
    }

    private HostSample.ServerProcesses.Details details(
            HostReading.@Nullable Server before, HostReading.Server server, double cores) {
        HostReading.Details read = server.details();
        return new HostSample.ServerProcesses.Details(
                read.states(),
                before == null ? null : peaks(before.details().peaks(), read.peaks()),
                read.links(),
                before == null ? null : others(read.busiestOther(), cores),
                null);
    }

    /** Returns the peaks of a server that was read before: their times are growth since then. */
    private HostSample.@Nullable PeakUse peaks(
            ProcessTotals.@Nullable Parts b, ProcessTotals.@Nullable Parts n) {
        if (b == null || n == null || seconds <= 0) {
            return null;
        }
        Double pauses = growthPerSecond(b.pauseNanos(), n.pauseNanos());
        return new HostSample.PeakUse(
                n.processNanos() / 1e9 / seconds,
                cores(n.threadNanos()),
                cores(n.runtimeNanos()),
                pauses == null ? null : Math.min(1, pauses / 1e9));
    }

    private @Nullable Double cores(@Nullable Long nanos) {
        return nanos == null ? null : Double.valueOf(nanos / 1e9 / seconds);
    }

    private HostSample.@Nullable OtherUse others(
            BusiestPrograms.@Nullable Program busiest, double ownCores) {
        if (usedCores < 0) {
            usedCores = 0;
            for (CpuShare cpu : cpus()) {
                usedCores += cpu.user() + cpu.kernel();
            }
        }
        double cores = Math.max(0, usedCores - ownCores);
        return busiest == null
                ? new HostSample.OtherUse(cores, null, null, null, null)
                : new HostSample.OtherUse(
                        cores,
                        busiest.name(),
                        busiest.processId(),
                        busiest.controlGroup().isEmpty() ? null : busiest.controlGroup(),
                        busiest.cores());
    }

    /**
     * Returns the CPU cores used. A restarted server begins at zero; a new server has no earlier
     * counters, so its first rate is 0.
     */
    private double cores(HostReading.@Nullable Processes b, HostReading.@Nullable Processes n) {
        return b == null || n == null
                ? 0
                : Math.max(0, n.cpuNanos() - b.cpuNanos()) / 1e9 / Math.max(seconds, 1e-3);
    }

    private HostSample.@Nullable Work work(
            HostReading.@Nullable Processes processesBefore,
            HostReading.@Nullable Processes processesNow) {
        HostReading.WorkCounters b = processesBefore == null ? null : processesBefore.work();
        HostReading.WorkCounters n = processesNow == null ? null : processesNow.work();
        if (b == null || n == null || seconds <= 0) {
            return null;
        }
        Long callsBefore = b.readWriteCalls();
        Long calls = n.readWriteCalls();
        // Processes that end take their counters out of these sums. A decrease counts as zero.
        return new HostSample.Work(
                Math.max(0, n.minorFaults() - b.minorFaults()) / seconds,
                Math.max(0, n.majorFaults() - b.majorFaults()) / seconds,
                Math.max(0, n.contextSwitches() - b.contextSwitches()) / seconds,
                callsBefore == null || calls == null
                        ? null
                        : Math.max(0, calls - callsBefore) / seconds);
    }

    private HostSample.@Nullable Waits waits(
            HostReading.@Nullable Processes processesBefore,
            HostReading.@Nullable Processes processesNow) {
        HostReading.WaitCounters b = processesBefore == null ? null : processesBefore.waits();
        HostReading.WaitCounters n = processesNow == null ? null : processesNow.waits();
        if (b == null || n == null || seconds <= 0) {
            return null;
        }
        Double waiting = growthPerSecond(b.waitedNanos(), n.waitedNanos());
        return new HostSample.Waits(
                Math.max(0, n.kernelNanos() - b.kernelNanos()) / 1e9 / seconds,
                waiting == null ? null : waiting / 1e9,
                n.blocked(),
                growthPerSecond(b.readBytes(), n.readBytes()),
                growthPerSecond(b.writtenBytes(), n.writtenBytes()));
    }

    /**
     * Returns the growth per second of a sum over processes. The sum decreases when a process ends;
     * that is neither growth nor a restart of the counter.
     */
    private @Nullable Double growthPerSecond(@Nullable Long earlier, @Nullable Long later) {
        return earlier == null || later == null || seconds <= 0
                ? null
                : Double.valueOf(Math.max(0, later - earlier) / seconds);
    }

    List<HostSample.InterfaceRates> interfaces() {
        List<HostSample.InterfaceRates> rates =
                new ArrayList<>(now.resources().interfaces().size());
        for (HostReading.Interface n : now.resources().interfaces()) {
            HostReading.Interface known =
                    named(before.resources().interfaces(), HostReading.Interface::name, n.name());
            HostReading.Interface b = known == null ? n : known;
            TrafficControl.Queue queue = n.queue();
            TrafficControl.Queue queueBefore = b.queue();
            rates.add(new HostSample.InterfaceRates(
                    n.name(),
                    rate(b.receivedBytes(), n.receivedBytes()),
                    rate(b.sentBytes(), n.sentBytes()),
                    n.speedBitsPerSecond(),
                    rate(b.receivedPackets(), n.receivedPackets()),
                    rate(b.sentPackets(), n.sentPackets()),
                    rate(b.drops(), n.drops()),
                    rate(b.errors(), n.errors()),
                    new HostSample.InterfaceRates.Queue(
                            queue == null ? null : queue.bitsPerSecond(),
                            queue == null || queueBefore == null
                                    ? 0
                                    : rate(queueBefore.drops(), queue.drops()),
                            queue == null ? 0 : queue.queuedBytes())));
        }
        return rates;
    }

    List<HostSample.DiskRates> disks() {
        List<HostSample.DiskRates> rates =
                new ArrayList<>(now.resources().disks().size());
        for (HostReading.Disk n : now.resources().disks()) {
            HostReading.Disk known =
                    named(before.resources().disks(), HostReading.Disk::name, n.name());
            HostReading.Disk b = known == null ? n : known;
            double requests = rate(b.reads(), n.reads()) + rate(b.writes(), n.writes());
            rates.add(new HostSample.DiskRates(
                    n.name(),
                    rate(b.readBytes(), n.readBytes()),
                    rate(b.writtenBytes(), n.writtenBytes()),
                    Math.min(1, rate(b.busyMillis(), n.busyMillis()) / 1e3),
                    rate(b.reads(), n.reads()),
                    rate(b.writes(), n.writes()),
                    requests > 0 ? rate(b.requestMillis(), n.requestMillis()) / requests : 0,
                    rate(b.queuedMillis(), n.queuedMillis()) / 1e3));
        }
        return rates;
    }

    /** Searches a short list without creating objects. */
    private static <T> @Nullable T named(List<T> rows, Function<T, String> name, String key) {
        for (T row : rows) {
            if (name.apply(row).equals(key)) {
                return row;
            }
        }
        return null;
    }
}
