package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.DiskStats;
import dev.komainu.agent.host.linux.Listener;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.LoadAverage;
import dev.komainu.agent.host.linux.NamedValues;
import dev.komainu.agent.host.linux.NetDev;
import dev.komainu.agent.host.linux.PressureStall;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcStat;
import dev.komainu.telemetry.record.HostSample;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Linux, read from {@code /proc} directly: about a dozen files and a listing per look. OSHI reads the same files for what
 * it offers, but offers neither page faults nor listen queues, and its list of all processes alone costs 17 ms; so it is
 * asked what hardware there is, and {@code /proc} how that is doing. One thread at a time.
 */
final class LinuxProbe implements HostProbe {

    private final ProcFiles proc;
    private final Inventory.Source inventorySource;
    private final ListenerTable listeners;
    private Inventory inventory = new Inventory(Map.of(), Set.of(), 4096);
    private Set<String> inventoriedNames = Set.of();
    private boolean inventoried;

    /** @param askKernel whether listen queues may be asked by netlink; false with a copied {@code /proc} */
    LinuxProbe(ProcFiles proc, Inventory.Source inventorySource, boolean askKernel) {
        this.proc = proc;
        this.inventorySource = inventorySource;
        this.listeners = new ListenerTable(proc, askKernel);
    }

    @Override
    public HostReading read(List<WatchedServer> servers) {
        List<NetDev> nics = NetDev.parse(proc.text("net/dev"));
        List<DiskStats> disks = DiskStats.parse(proc.text("diskstats"));
        takeInventoryOnChange(nics, disks);
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long atNanos = System.nanoTime();
        ProcStat stat = ProcStat.parse(proc.text("stat"));
        LoadAverage load = LoadAverage.parse(proc.text("loadavg"));
        return new HostReading(
                atMicros,
                atNanos,
                stat.cpus(),
                memory(NamedValues.ofLines(proc.text("meminfo"))),
                kernel(stat, NamedValues.ofLines(proc.text("vmstat"))),
                stack(),
                pressure(),
                proc.numbersIn(".").size(),
                load.threads(),
                load.load1(),
                servers(servers),
                interfaces(nics),
                disks(disks));
    }

    private void takeInventoryOnChange(List<NetDev> nics, List<DiskStats> disks) {
        Set<String> names = new HashSet<>();
        nics.forEach(nic -> names.add(nic.name()));
        disks.forEach(disk -> names.add(disk.name()));
        if (inventoried && names.equals(inventoriedNames)) {
            return;
        }
        inventoried = true;
        inventoriedNames = names;
        try {
            inventory = inventorySource.take();
        } catch (RuntimeException | LinkageError e) {
            // OSHI's native side is missing here: speeds stay unknown, disks are told apart by their names.
            Set<String> whole = new HashSet<>();
            for (DiskStats disk : disks) {
                if (!disk.name().matches("(loop|ram|zram|sr|fd).*|(sd|vd|xvd|hd)[a-z]+[0-9]+|.*[0-9]p[0-9]+")) {
                    whole.add(disk.name());
                }
            }
            inventory = new Inventory(Map.of(), whole, 4096);
        }
    }

    private static HostSample.Memory memory(NamedValues m) {
        return new HostSample.Memory(
                m.get("MemTotal"),
                m.get("MemFree"),
                m.has("MemAvailable") ? m.get("MemAvailable") : m.get("MemFree") + m.get("Cached"),
                m.get("Cached") + m.get("SReclaimable"),
                m.get("SwapTotal"),
                m.get("SwapFree"));
    }

    private static HostReading.KernelCounters kernel(ProcStat stat, NamedValues v) {
        long major = v.get("pgmajfault");
        return new HostReading.KernelCounters(
                stat.contextSwitches(),
                stat.interrupts(),
                // pgfault counts both kinds.
                v.get("pgfault") - major,
                major,
                null,
                v.get("pswpin"),
                v.get("pswpout"));
    }

    private HostReading.Stack stack() {
        NamedValues four = NamedValues.ofGroups(proc.text("net/sockstat"));
        NamedValues six = NamedValues.ofGroups(proc.text("net/sockstat6"));
        NamedValues snmp = NamedValues.ofHeaderPairs(proc.text("net/snmp"));
        NamedValues ext = NamedValues.ofHeaderPairs(proc.text("net/netstat"));
        return new HostReading.Stack(
                four.get("sockets.used"),
                four.get("TCP.inuse") + six.get("TCP6.inuse"),
                four.get("TCP.orphan"),
                four.get("TCP.tw"),
                four.get("TCP.mem") * inventory.pageBytes(),
                snmp.get("Tcp.PassiveOpens"),
                ext.get("TcpExt.ListenOverflows"),
                ext.get("TcpExt.ListenDrops"),
                ext.get("TcpExt.SyncookiesSent"),
                snmp.get("Tcp.RetransSegs"),
                snmp.get("Tcp.OutSegs"));
    }

    private HostSample.@Nullable Pressure pressure() {
        Double cpu = PressureStall.some10(proc.read("pressure/cpu"));
        Double memory = PressureStall.some10(proc.read("pressure/memory"));
        Double io = PressureStall.some10(proc.read("pressure/io"));
        return cpu == null || memory == null || io == null ? null : new HostSample.Pressure(cpu, memory, io);
    }

    private List<HostReading.Server> servers(List<WatchedServer> watched) {
        List<HostReading.Server> servers = new ArrayList<>();
        if (watched.isEmpty()) {
            return servers;
        }
        List<Listener> table = listeners.read();
        ProcessTrees trees = new ProcessTrees(proc, inventory.pageBytes());
        for (WatchedServer server : watched) {
            Long root = server.processId();
            ProcessTrees.Totals tree = root == null ? null : trees.totals(root);
            Listener fullest = fullest(server, table);
            if (tree == null && fullest == null) {
                continue;
            }
            servers.add(new HostReading.Server(
                    server.service(),
                    tree == null ? 0 : tree.processes(),
                    tree == null ? 0 : tree.threads(),
                    tree == null ? 0 : tree.residentBytes(),
                    tree == null ? 0 : tree.cpuMillis(),
                    tree == null ? null : tree.openFiles(),
                    tree == null ? null : tree.openFilesLimit(),
                    fullest == null ? null : fullest.queued(),
                    fullest == null ? null : limit(fullest)));
        }
        return servers;
    }

    /** Of several sockets of one server (IPv4 and IPv6, SO_REUSEPORT) the one nearest to overflowing. */
    private static @Nullable Listener fullest(WatchedServer server, List<Listener> table) {
        Listener fullest = null;
        for (Listener listener : table) {
            boolean own = server.sockets().isEmpty()
                    ? listener.local().port() == server.port()
                    : server.sockets().contains(listener.inode());
            if (own && (fullest == null || listener.queued() > fullest.queued())) {
                fullest = listener;
            }
        }
        return fullest;
    }

    /** Where only the files could be read, the system's cap stands in for min(backlog, cap). */
    private @Nullable Long limit(Listener listener) {
        Long limit = listener.limit();
        if (limit != null) {
            return limit;
        }
        String cap = proc.text("sys/net/core/somaxconn").strip();
        return cap.matches("[0-9]{1,10}") ? Long.valueOf(cap) : null;
    }

    private List<HostReading.Interface> interfaces(List<NetDev> nics) {
        List<HostReading.Interface> rows = new ArrayList<>();
        for (NetDev nic : nics) {
            rows.add(new HostReading.Interface(
                    nic.name(),
                    nic.receivedBytes(),
                    nic.sentBytes(),
                    inventory.speeds().get(nic.name())));
        }
        return rows;
    }

    private List<HostReading.Disk> disks(List<DiskStats> disks) {
        List<HostReading.Disk> rows = new ArrayList<>();
        for (DiskStats disk : disks) {
            if (inventory.disks().contains(disk.name())) {
                rows.add(new HostReading.Disk(disk.name(), disk.readBytes(), disk.writtenBytes(), disk.busyMillis()));
            }
        }
        return rows;
    }

    @Override
    public void close() {
        listeners.close();
    }
}
