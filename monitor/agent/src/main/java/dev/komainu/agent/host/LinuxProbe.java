package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.CpuTime;
import dev.komainu.agent.host.linux.Devices;
import dev.komainu.agent.host.linux.DiskStats;
import dev.komainu.agent.host.linux.KernelFiles;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ListeningSocket;
import dev.komainu.agent.host.linux.LoadAverage;
import dev.komainu.agent.host.linux.NamedCounters;
import dev.komainu.agent.host.linux.NetDev;
import dev.komainu.agent.host.linux.PressureStall;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcStat;
import dev.komainu.agent.host.linux.ProcessTotals;
import dev.komainu.agent.host.linux.TrafficControl;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.HostSample;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Linux, read from {@code /proc} directly. OSHI reads the same files for what it offers, but offers
 * neither the host's page faults nor listen queues nor pressure, and its list of all processes
 * alone costs 17 ms. One thread at a time.
 */
final class LinuxProbe implements HostProbe {

    /** A link may be negotiated anew without any device coming or going. */
    private static final long DEVICES_NANOS = 60_000_000_000L;

    private final ProcFiles proc;
    private final Path sys;
    private final KernelFiles files;
    private final ListenerTable table;
    private final TrafficControl traffic;
    private final long pageBytes = CpuTime.pageBytes();
    private Devices devices = Devices.NONE;
    private List<String> knownDevices = List.of();
    private long devicesNanos;

    /**
     * @param sys {@code /sys}, or a copy
     * @param askKernel whether listen queues may be asked by netlink; false with a copied
     *     {@code /proc}
     */
    LinuxProbe(ProcFiles proc, Path sys, boolean askKernel) {
        this.proc = proc;
        this.sys = sys;
        this.files = new KernelFiles(proc);
        this.table = new ListenerTable(proc, askKernel);
        this.traffic = new TrafficControl(askKernel);
    }

    @Override
    public HostReading read(List<WatchedServer> watched) {
        List<NetDev> nics = files.interfaces();
        List<DiskStats> disks = files.disks();
        long atMicros = EpochMicros.now();
        long atNanos = System.nanoTime();
        lookAtDevices(nics, disks, atNanos);
        ProcStat stat = files.stat();
        LoadAverage load = files.load();
        List<ListeningSocket> listeners = table.read();
        HostReading.Stack stack = stack();
        List<HostReading.Server> servers = servers(watched, listeners, stack);
        return new HostReading(
                atMicros,
                atNanos,
                stat.cpus(),
                memory(files.memory()),
                kernel(stat, files.memoryEvents()),
                stack,
                pressure(),
                files.processes(),
                load.threads(),
                new HostReading.Load(load.load1(), load.load5(), load.load15()),
                openFiles(),
                told(listeners, watched),
                servers,
                interfaces(nics),
                disks(disks));
    }

    private void lookAtDevices(List<NetDev> nics, List<DiskStats> disks, long nowNanos) {
        if (isKnown(nics, disks) && nowNanos - devicesNanos < DEVICES_NANOS) {
            return;
        }
        List<String> nicNames = nics.stream().map(NetDev::name).toList();
        List<String> diskNames = disks.stream().map(DiskStats::name).toList();
        List<String> both = new ArrayList<>(nicNames);
        both.addAll(diskNames);
        knownDevices = both;
        devicesNanos = nowNanos;
        devices = Devices.look(sys, nicNames, diskNames);
    }

    /** Rows come in the same order each time, their names are the same strings. */
    private boolean isKnown(List<NetDev> nics, List<DiskStats> disks) {
        if (knownDevices.size() != nics.size() + disks.size()) {
            return false;
        }
        for (int i = 0; i < nics.size(); i++) {
            if (!knownDevices.get(i).equals(nics.get(i).name())) {
                return false;
            }
        }
        for (int i = 0; i < disks.size(); i++) {
            if (!knownDevices.get(nics.size() + i).equals(disks.get(i).name())) {
                return false;
            }
        }
        return true;
    }

    private static HostSample.Memory memory(NamedCounters m) {
        long cached = m.get(3);
        return new HostSample.Memory(
                m.get(0),
                m.get(1),
                m.has(2) ? m.get(2) : m.get(1) + cached,
                cached + m.get(4),
                m.get(5),
                m.get(6));
    }

    private HostReading.KernelCounters kernel(ProcStat stat, NamedCounters v) {
        long major = v.get(1);
        return new HostReading.KernelCounters(
                stat.contextSwitches(),
                stat.interrupts(),
                // pgfault counts both kinds.
                Math.max(0, v.get(0) - major),
                major,
                files.trees().readWriteCalls(),
                v.get(2),
                v.get(3));
    }

    private HostReading.Stack stack() {
        NamedCounters sockets = files.sockets();
        NamedCounters six = files.sixSockets();
        NamedCounters tcp = files.tcp();
        NamedCounters extensions = files.tcpExtensions();
        long limit = files.tcpMemoryLimitPages();
        return new HostReading.Stack(
                sockets.get(0),
                sockets.get(1) + six.get(0),
                sockets.get(2),
                sockets.get(3),
                sockets.get(4) * pageBytes,
                limit < 0 ? null : Long.valueOf(limit * pageBytes),
                tcp.get(0),
                extensions.get(0),
                extensions.get(1),
                extensions.get(2),
                tcp.get(1),
                tcp.get(2));
    }

    private HostSample.@Nullable Pressure pressure() {
        PressureStall cpu = files.cpuPressure();
        PressureStall memory = files.memoryPressure();
        PressureStall io = files.ioPressure();
        return cpu == null || memory == null || io == null
                ? null
                : new HostSample.Pressure(
                        cpu.some(), memory.some(), io.some(), memory.full(), io.full());
    }

    private HostSample.@Nullable FileHandles openFiles() {
        KernelFiles.OpenFiles open = files.openFiles();
        return open == null ? null : new HostSample.FileHandles(open.open(), open.limit());
    }

    private List<HostReading.Server> servers(
            List<WatchedServer> watched, List<ListeningSocket> listeners, HostReading.Stack stack) {
        List<HostReading.Server> servers = new ArrayList<>(watched.size());
        EphemeralPortSurvey ports =
                new EphemeralPortSurvey(files, table, stack.tcpInUse() + stack.tcpTimeWait());
        files.trees().begin();
        files.groups().begin();
        for (WatchedServer server : watched) {
            Long root = server.processId();
            ProcessTotals tree = root == null ? null : files.trees().of(root, pageBytes);
            ListeningSocket fullest = fullest(server, listeners);
            if (tree != null || fullest != null) {
                servers.add(new HostReading.Server(
                        server.service(),
                        tree == null ? null : processes(tree),
                        fullest == null ? null : fullest.queued(),
                        fullest == null ? null : limit(fullest),
                        root == null || tree == null ? null : files.groups().of(root),
                        server.fetches() ? ports.of(server) : null,
                        drops(server, listeners)));
            }
        }
        files.trees().end();
        files.groups().end();
        return servers;
    }

    private static HostReading.Processes processes(ProcessTotals tree) {
        return new HostReading.Processes(
                tree.processes(),
                tree.threads(),
                tree.residentBytes(),
                tree.cpuNanos(),
                tree.openFiles(),
                tree.openFilesLimit(),
                new HostReading.WorkCounters(
                        tree.minorFaults(),
                        tree.majorFaults(),
                        tree.contextSwitches(),
                        tree.readWriteCalls()),
                new HostReading.WaitCounters(
                        tree.kernelNanos(),
                        tree.waitedNanos(),
                        tree.blocked(),
                        tree.readBytes(),
                        tree.writtenBytes()));
    }

    /**
     * Of several sockets of one server (IPv4 and IPv6, SO_REUSEPORT) the one nearest to
     * overflowing.
     */
    private static @Nullable ListeningSocket fullest(
            WatchedServer server, List<ListeningSocket> listeners) {
        ListeningSocket fullest = null;
        for (ListeningSocket listener : listeners) {
            if (owns(server, listener)
                    && (fullest == null || listener.queued() > fullest.queued())) {
                fullest = listener;
            }
        }
        return fullest;
    }

    /** Of all sockets of one server together. */
    private static @Nullable Long drops(WatchedServer server, List<ListeningSocket> listeners) {
        Long drops = null;
        for (ListeningSocket listener : listeners) {
            Long its = owns(server, listener) ? listener.drops() : null;
            if (its != null) {
                drops = drops == null ? its : Long.valueOf(drops + its);
            }
        }
        return drops;
    }

    private static boolean owns(WatchedServer server, ListeningSocket listener) {
        return server.sockets().isEmpty()
                ? listener.local().port() == server.port()
                : server.sockets().contains(listener.inode());
    }

    private List<HostSample.Listener> told(
            List<ListeningSocket> listeners, List<WatchedServer> watched) {
        List<HostSample.Listener> told = new ArrayList<>(listeners.size());
        for (ListeningSocket listener : listeners) {
            String service = null;
            for (WatchedServer server : watched) {
                service = service == null && owns(server, listener) ? server.service() : service;
            }
            Long limit = limit(listener);
            told.add(new HostSample.Listener(
                    listener.local(), listener.queued(), limit == null ? 0 : limit, service));
        }
        return told;
    }

    /** Where only the files could be read, the system's cap stands in for min(backlog, cap). */
    private @Nullable Long limit(ListeningSocket listener) {
        Long limit = listener.limit();
        if (limit != null) {
            return limit;
        }
        String cap = proc.text("sys/net/core/somaxconn").strip();
        return cap.matches("[0-9]{1,10}") ? Long.valueOf(cap) : null;
    }

    private List<HostReading.Interface> interfaces(List<NetDev> nics) {
        List<HostReading.Interface> rows = new ArrayList<>(nics.size());
        Map<String, TrafficControl.Queue> queues = traffic.read();
        for (NetDev nic : nics) {
            rows.add(new HostReading.Interface(
                    nic.name(),
                    nic.receivedBytes(),
                    nic.sentBytes(),
                    nic.receivedPackets(),
                    nic.sentPackets(),
                    nic.drops(),
                    nic.errors(),
                    devices.speeds().get(nic.name()),
                    queues.get(nic.name())));
        }
        return rows;
    }

    private List<HostReading.Disk> disks(List<DiskStats> disks) {
        List<HostReading.Disk> rows = new ArrayList<>();
        for (DiskStats disk : disks) {
            if (devices.disks().contains(disk.name())) {
                rows.add(new HostReading.Disk(
                        disk.name(),
                        disk.readBytes(),
                        disk.writtenBytes(),
                        disk.busyMillis(),
                        disk.reads(),
                        disk.writes(),
                        disk.requestMillis(),
                        disk.queuedMillis()));
            }
        }
        return rows;
    }

    @Override
    public void close() {
        table.close();
        traffic.close();
        files.close();
    }
}
