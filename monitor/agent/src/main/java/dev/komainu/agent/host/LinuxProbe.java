package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ControlGroupState;
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
 * A host probe for Linux, which reads {@code /proc} directly. OSHI reads the same files, but has no
 * page faults of the host, listen queues or pressure, and its list of all processes alone costs 17
 * ms. One thread at a time.
 */
final class LinuxProbe implements HostProbe {

    /**
     * The interval at which devices are read again: a link's speed may change without a device
     * change.
     */
    private static final long DEVICES_NANOS = 60_000_000_000L;

    private final ProcFiles proc;
    private final Path sys;
    private final KernelFiles files;
    private final ListenerTable table;
    private final TrafficControl traffic;
    private final ServerDetails details;
    private final ServerSums sums;
    private final long pageBytes = CpuTime.pageBytes();
    private Devices devices = Devices.NONE;
    private List<String> knownDevices = List.of();
    private long devicesNanos;

    /**
     * Creates a probe.
     *
     * @param sys {@code /sys}, or a copy
     * @param askKernel whether listen queues may be queried by netlink; false with a copied
     *     {@code /proc}
     */
    LinuxProbe(ProcFiles proc, Path sys, boolean askKernel) {
        this.proc = proc;
        this.sys = sys;
        this.files = new KernelFiles(proc);
        this.table = new ListenerTable(proc, askKernel);
        this.traffic = new TrafficControl(askKernel);
        this.details = new ServerDetails(proc, files, table);
        this.sums = new ServerSums(files.trees(), pageBytes);
    }

    @Override
    public HostReading read(List<WatchedServer> watched, boolean inDoubt) {
        List<NetDev> interfaces = files.interfaces();
        List<DiskStats> disks = files.disks();
        long atMicros = EpochMicros.now();
        long atNanos = System.nanoTime();
        refreshDevices(interfaces, disks, atNanos);
        ProcStat stat = files.stat();
        LoadAverage load = files.load();
        List<ListeningSocket> listeners = table.read();
        HostReading.Stack stack = stack();
        List<HostReading.Server> servers = servers(watched, listeners, stack, inDoubt);
        return new HostReading(
                atMicros,
                atNanos,
                new HostReading.Resources(
                        stat.cpus(), memory(files.memory()), interfaces(interfaces), disks(disks)),
                kernel(stat, files.memoryEvents()),
                new HostReading.Network(stack, listenerRecords(listeners, watched)),
                pressure(),
                new HostReading.Totals(
                        files.processes(),
                        load.threads(),
                        new HostReading.Load(load.load1(), load.load5(), load.load15()),
                        openFiles()),
                servers);
    }

    private void refreshDevices(List<NetDev> interfaces, List<DiskStats> disks, long nowNanos) {
        if (isKnown(interfaces, disks) && nowNanos - devicesNanos < DEVICES_NANOS) {
            return;
        }
        List<String> interfaceNames = interfaces.stream().map(NetDev::name).toList();
        List<String> diskNames = disks.stream().map(DiskStats::name).toList();
        List<String> both = new ArrayList<>(interfaceNames);
        both.addAll(diskNames);
        knownDevices = both;
        devicesNanos = nowNanos;
        devices = Devices.read(sys, interfaceNames, diskNames);
    }

    /**
     * Reports whether these devices are known. Rows keep their order between readings, and their
     * names are the same strings.
     */
    private boolean isKnown(List<NetDev> interfaces, List<DiskStats> disks) {
        if (knownDevices.size() != interfaces.size() + disks.size()) {
            return false;
        }
        for (int i = 0; i < interfaces.size(); i++) {
            if (!knownDevices.get(i).equals(interfaces.get(i).name())) {
                return false;
            }
        }
        for (int i = 0; i < disks.size(); i++) {
            if (!knownDevices.get(interfaces.size() + i).equals(disks.get(i).name())) {
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
        NamedCounters ipv6 = files.ipv6Sockets();
        NamedCounters tcp = files.tcp();
        NamedCounters extensions = files.tcpExtensions();
        long limit = files.tcpMemoryLimitPages();
        return new HostReading.Stack(
                sockets.get(0),
                sockets.get(1) + ipv6.get(0),
                sockets.get(2),
                sockets.get(3),
                sockets.get(4) * pageBytes,
                limit < 0 ? null : Long.valueOf(limit * pageBytes),
                new HostReading.Stack.StackEvents(
                        tcp.get(0),
                        extensions.get(0),
                        extensions.get(1),
                        extensions.get(2),
                        tcp.get(1),
                        tcp.get(2)));
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
            List<WatchedServer> watched,
            List<ListeningSocket> listeners,
            HostReading.Stack stack,
            boolean inDoubt) {
        List<HostReading.Server> servers = new ArrayList<>(watched.size());
        EphemeralPortSurvey ports =
                new EphemeralPortSurvey(files, table, stack.tcpInUse() + stack.tcpTimeWait());
        files.trees().begin();
        files.groups().begin();
        details.begin(inDoubt, watched, listeners);
        for (WatchedServer server : watched) {
            ServerSums.Sums processes = sums.of(server);
            ListeningSocket fullest = fullest(server, listeners);
            if (processes != null || fullest != null) {
                ControlGroupState group = processes == null ? null : group(server, processes);
                servers.add(new HostReading.Server(
                        server.service(),
                        processes == null ? null : processes(processes.all()),
                        fullest == null ? null : fullest.queued(),
                        fullest == null ? null : limit(fullest),
                        group,
                        server.fetches() ? ports.of(server) : null,
                        drops(server, listeners),
                        details.of(server, processes)));
            }
        }
        files.trees().end();
        files.groups().end();
        sums.end(watched);
        return servers;
    }

    /** Returns the limits of the server's own group, and for each kind without one its pools'. */
    private @Nullable ControlGroupState group(WatchedServer server, ServerSums.Sums processes) {
        Long root = server.processId();
        ControlGroupState group = root == null ? null : files.groups().of(root);
        for (long pool : processes.pools().keySet()) {
            ControlGroupState next = files.groups().of(pool);
            if (next != null) {
                group = group == null ? next : group.orElse(next);
            }
        }
        return group;
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
                        tree.work().minorFaults(),
                        tree.work().majorFaults(),
                        tree.work().contextSwitches(),
                        tree.work().readWriteCalls()),
                new HostReading.WaitCounters(
                        tree.waits().kernelNanos(),
                        tree.waits().waitedNanos(),
                        tree.waits().blocked(),
                        tree.waits().readBytes(),
                        tree.waits().writtenBytes()));
    }

    /**
     * Returns the server's socket with the longest queue, of several (IPv4 and IPv6, SO_REUSEPORT).
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

    /** Returns the drops of all sockets of a server. */
    private static @Nullable Long drops(WatchedServer server, List<ListeningSocket> listeners) {
        Long drops = null;
        for (ListeningSocket listener : listeners) {
            Long own = owns(server, listener) ? listener.drops() : null;
            if (own != null) {
                drops = drops == null ? own : Long.valueOf(drops + own);
            }
        }
        return drops;
    }

    private static boolean owns(WatchedServer server, ListeningSocket listener) {
        return server.sockets().isEmpty()
                ? listener.local().port() == server.port()
                : server.sockets().contains(listener.inode());
    }

    private List<HostSample.Listener> listenerRecords(
            List<ListeningSocket> listeners, List<WatchedServer> watched) {
        List<HostSample.Listener> records = new ArrayList<>(listeners.size());
        for (ListeningSocket listener : listeners) {
            String service = null;
            for (WatchedServer server : watched) {
                service = service == null && owns(server, listener) ? server.service() : service;
            }
            Long limit = limit(listener);
            records.add(new HostSample.Listener(
                    listener.local(), listener.queued(), limit == null ? 0 : limit, service));
        }
        return records;
    }

    /**
     * Returns a queue's limit. When only the files could be read, the system's cap stands for
     * min(backlog, cap).
     */
    private @Nullable Long limit(ListeningSocket listener) {
        Long limit = listener.limit();
        if (limit != null) {
            return limit;
        }
        String cap = proc.text("sys/net/core/somaxconn").strip();
        return cap.matches("[0-9]{1,10}") ? Long.valueOf(cap) : null;
    }

    private List<HostReading.Interface> interfaces(List<NetDev> interfaces) {
        List<HostReading.Interface> rows = new ArrayList<>(interfaces.size());
        Map<String, TrafficControl.Queue> queues = traffic.read();
        for (NetDev row : interfaces) {
            rows.add(new HostReading.Interface(
                    row.name(),
                    row.receivedBytes(),
                    row.sentBytes(),
                    row.receivedPackets(),
                    row.sentPackets(),
                    row.drops(),
                    row.errors(),
                    devices.speeds().get(row.name()),
                    queues.get(row.name())));
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
