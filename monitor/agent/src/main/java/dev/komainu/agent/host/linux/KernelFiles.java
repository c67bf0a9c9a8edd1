package dev.komainu.agent.host.linux;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files under {@code /proc} that describe the whole host, kept open between readings. Each
 * result is valid until the next call: they share one buffer. One thread at a time.
 */
public final class KernelFiles implements AutoCloseable {

    /**
     * The namespace in which the kernel lists every process of the machine, not only those of a
     * container.
     */
    private static final String FIRST_PID_NAMESPACE = "pid:[4026531836]";

    private static final byte[] THIS_DIRECTORY = NamedCounters.bytes(".");
    /**
     * Readings between two counts of the processes one by one. In between, their number is taken
     * from the directory's links.
     */
    private static final int RECOUNT_READINGS = 64;

    private final KernelReader reader = new KernelReader();
    private final ProcFiles proc;
    private final ServerTrees trees;
    private final ControlGroups groups;
    private final KernelFile stat;
    private final KernelFile load;
    private final KernelFile memory;
    private final KernelFile vm;
    private final KernelFile ipv4Sockets;
    private final KernelFile ipv6Sockets;
    private final KernelFile snmp;
    private final KernelFile netstat;
    private final KernelFile interfaces;
    private final KernelFile disks;
    private final KernelFile files;
    private final KernelFile cpuPressure;
    private final KernelFile memoryPressure;
    private final KernelFile ioPressure;
    private final KernelFile tcpMemory;
    private final KernelFile portRange;
    private final KernelFile reservedPorts;
    private final DeviceNameCache interfaceNames = new DeviceNameCache();
    private final DeviceNameCache diskNames = new DeviceNameCache();
    private final NamedCounters memoryValues = new NamedCounters(
            "MemTotal",
            "MemFree",
            "MemAvailable",
            "Cached",
            "SReclaimable",
            "SwapTotal",
            "SwapFree");
    private final NamedCounters vmValues =
            new NamedCounters("pgfault", "pgmajfault", "pswpin", "pswpout");
    private final NamedCounters ipv4Values =
            new NamedCounters("sockets:used", "TCP:inuse", "TCP:orphan", "TCP:tw", "TCP:mem");
    private final NamedCounters ipv6Values = new NamedCounters("TCP6:inuse");
    private final NamedCounters tcpValues =
            new NamedCounters("Tcp:PassiveOpens", "Tcp:RetransSegs", "Tcp:OutSegs");
    private final NamedCounters extensionValues = new NamedCounters(
            "TcpExt:ListenOverflows", "TcpExt:ListenDrops", "TcpExt:SyncookiesSent");
    private int directory = KernelReader.NONE;
    private long linksBesideProcesses = -1;
    private int readingsUntilRecount;

    public KernelFiles(ProcFiles proc) {
        this.proc = proc;
        this.trees = new ServerTrees(reader, proc);
        this.groups = new ControlGroups(reader, proc);
        stat = file("stat");
        load = file("loadavg");
        memory = file("meminfo");
        vm = file("vmstat");
        ipv4Sockets = file("net/sockstat");
        ipv6Sockets = file("net/sockstat6");
        snmp = file("net/snmp");
        netstat = file("net/netstat");
        interfaces = file("net/dev");
        disks = file("diskstats");
        files = file("sys/fs/file-nr");
        cpuPressure = file("pressure/cpu");
        memoryPressure = file("pressure/memory");
        ioPressure = file("pressure/io");
        tcpMemory = file("sys/net/ipv4/tcp_mem");
        portRange = file("sys/net/ipv4/ip_local_port_range");
        reservedPorts = file("sys/net/ipv4/ip_local_reserved_ports");
    }

    private KernelFile file(String name) {
        return new KernelFile(reader, proc.path(name).toString());
    }

    /** Returns the processes of watched servers, read with the same buffer. */
    public ServerTrees trees() {
        return trees;
    }

    /** Returns the control groups of watched servers, read with the same buffer. */
    public ControlGroups groups() {
        return groups;
    }

    public ProcStat stat() {
        return ProcStat.parse(stat.text());
    }

    public LoadAverage load() {
        return LoadAverage.parse(load.text());
    }

    /**
     * Returns bytes: MemTotal, MemFree, MemAvailable, Cached, SReclaimable, SwapTotal, SwapFree.
     */
    public NamedCounters memory() {
        return memoryValues.readLines(memory.text());
    }

    /**
     * Returns counters since boot: page faults of both kinds, major page faults, pages swapped in,
     * pages swapped out.
     */
    public NamedCounters memoryEvents() {
        return vmValues.readLines(vm.text());
    }

    /**
     * Returns sockets of all kinds; for TCP over IPv4: in use, orphans, TIME_WAIT; pages of TCP
     * buffers.
     */
    public NamedCounters sockets() {
        return ipv4Values.readGroups(ipv4Sockets.text());
    }

    /** Returns the sockets of TCP over IPv6 in use. */
    public NamedCounters ipv6Sockets() {
        return ipv6Values.readGroups(ipv6Sockets.text());
    }

    /** Returns counters since boot: connections accepted, segments retransmitted, segments sent. */
    public NamedCounters tcp() {
        return tcpValues.readPairs(snmp.text());
    }

    /**
     * Returns counters since boot: accept queue overflows, drops at listeners, SYN cookies sent.
     */
    public NamedCounters tcpExtensions() {
        return extensionValues.readPairs(netstat.text());
    }

    public List<NetDev> interfaces() {
        return NetDev.parse(interfaces.text(), interfaceNames);
    }

    public List<DiskStats> disks() {
        return DiskStats.parse(disks.text(), diskNames);
    }

    /** Returns CPU pressure; null without CONFIG_PSI. */
    public @Nullable PressureStall cpuPressure() {
        return PressureStall.parse(cpuPressure.read());
    }

    /** Returns memory pressure; null without CONFIG_PSI. */
    public @Nullable PressureStall memoryPressure() {
        return PressureStall.parse(memoryPressure.read());
    }

    /** Returns pressure of input and output; null without CONFIG_PSI. */
    public @Nullable PressureStall ioPressure() {
        return PressureStall.parse(ioPressure.read());
    }

    /**
     * Returns the descriptors open on the whole host; null when the kernel does not report them.
     */
    public @Nullable OpenFiles openFiles() {
        KernelFileText text = files.text();
        long allocated = text.number(-1);
        long free = text.number(-1);
        long limit = text.number(-1);
        return allocated < 0 || free < 0 || limit < 0
                ? null
                : new OpenFiles(Math.max(0, allocated - free), limit);
    }

    /**
     * Open descriptors.
     *
     * @param limit maximum the kernel allows
     */
    public record OpenFiles(long open, long limit) {}

    /**
     * Returns the pages of TCP buffers above which the kernel refuses more; -1 when it does not
     * report the limit.
     */
    public long tcpMemoryLimitPages() {
        KernelFileText text = tcpMemory.text();
        text.skipWords(2);
        return text.number(-1);
    }

    /**
     * Returns the kernel's port range for outgoing connections (ip(7)); null when it does not
     * report the range.
     */
    public @Nullable EphemeralPorts ephemeralPorts() {
        KernelFileText text = portRange.text();
        long first = text.number(-1);
        long last = text.number(-1);
        return first < 1 || last < first || last > 65_535
                ? null
                : EphemeralPorts.of(
                        (int) first, (int) last, reservedPorts.text().toString());
    }

    /**
     * Returns the number of processes. If the kernel maintains this number, it is read from the
     * directory's links in a microsecond (kernel: proc_root_getattr adds nr_processes()).
     * Periodically, and in a container, where that number differs, the processes are counted one by
     * one.
     */
    public int processes() {
        if (directory < 0) {
            directory = reader.open(proc.path("").toString());
        }
        if (linksBesideProcesses >= 0 && readingsUntilRecount-- > 0) {
            long now = reader.links(directory, THIS_DIRECTORY) - linksBesideProcesses;
            if (now > 0) {
                return (int) Math.min(now, Integer.MAX_VALUE);
            }
        }
        return recount();
    }

    private int recount() {
        long counted = reader.countNumbers(directory, THIS_DIRECTORY);
        if (counted < 0) {
            counted = proc.numbersIn(".").size();
        }
        long beside = reader.links(directory, THIS_DIRECTORY) - counted;
        boolean comparable = beside >= 0 && FIRST_PID_NAMESPACE.equals(proc.link("self/ns/pid"));
        // Two equal results: the rest of the links is constant, and no process started or ended in
        // between.
        linksBesideProcesses =
                comparable && (linksBesideProcesses < 0 || linksBesideProcesses == beside)
                        ? beside
                        : -1;
        readingsUntilRecount = RECOUNT_READINGS;
        return (int) Math.min(counted, Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        trees.close();
        groups.close();
        for (KernelFile file : List.of(
                stat,
                load,
                memory,
                vm,
                ipv4Sockets,
                ipv6Sockets,
                snmp,
                netstat,
                interfaces,
                disks,
                files,
                cpuPressure,
                memoryPressure,
                ioPressure,
                tcpMemory,
                portRange,
                reservedPorts)) {
            file.close();
        }
        reader.close(directory);
        directory = KernelReader.NONE;
    }
}
