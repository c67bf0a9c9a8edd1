package dev.komainu.agent.host.linux;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files under {@code /proc} that speak of the whole host, kept open from look to look. Each
 * answer is good until the next question: they share one buffer. One thread at a time.
 */
public final class KernelFiles implements AutoCloseable {

    /** Where the kernel lists every process of the machine, not only those of a container. */
    private static final String FIRST_PID_NAMESPACE = "pid:[4026531836]";

    private static final byte[] HERE = NamedCounters.bytes(".");
    /**
     * Looks between two counts of processes one by one, where their number is told at once in
     * between.
     */
    private static final int RECOUNT_LOOKS = 64;

    private final KernelReader reader = new KernelReader();
    private final ProcFiles proc;
    private final ServerTrees trees;
    private final ControlGroups groups;
    private final KernelFile stat;
    private final KernelFile load;
    private final KernelFile memory;
    private final KernelFile vm;
    private final KernelFile fourSockets;
    private final KernelFile sixSockets;
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
    private final NamedCounters fourValues =
            new NamedCounters("sockets:used", "TCP:inuse", "TCP:orphan", "TCP:tw", "TCP:mem");
    private final NamedCounters sixValues = new NamedCounters("TCP6:inuse");
    private final NamedCounters tcpValues =
            new NamedCounters("Tcp:PassiveOpens", "Tcp:RetransSegs", "Tcp:OutSegs");
    private final NamedCounters extensionValues = new NamedCounters(
            "TcpExt:ListenOverflows", "TcpExt:ListenDrops", "TcpExt:SyncookiesSent");
    private int directory = KernelReader.NONE;
    private long linksBesideProcesses = -1;
    private int looksUntilRecount;

    public KernelFiles(ProcFiles proc) {
        this.proc = proc;
        this.trees = new ServerTrees(reader, proc);
        this.groups = new ControlGroups(reader, proc);
        stat = file("stat");
        load = file("loadavg");
        memory = file("meminfo");
        vm = file("vmstat");
        fourSockets = file("net/sockstat");
        sixSockets = file("net/sockstat6");
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

    /** The processes of watched servers, read with the same buffer. */
    public ServerTrees trees() {
        return trees;
    }

    /** The control groups of watched servers, read with the same buffer. */
    public ControlGroups groups() {
        return groups;
    }

    public ProcStat stat() {
        return ProcStat.parse(stat.text());
    }

    public LoadAverage load() {
        return LoadAverage.parse(load.text());
    }

    /** Bytes: MemTotal, MemFree, MemAvailable, Cached, SReclaimable, SwapTotal, SwapFree. */
    public NamedCounters memory() {
        return memoryValues.readLines(memory.text());
    }

    /** Since boot: page faults of both kinds, major ones, pages swapped in, out. */
    public NamedCounters memoryEvents() {
        return vmValues.readLines(vm.text());
    }

    /** Sockets of all kinds; of TCP over IPv4: in use, orphans, TIME_WAIT; pages of TCP buffers. */
    public NamedCounters sockets() {
        return fourValues.readGroups(fourSockets.text());
    }

    /** TCP over IPv6: in use. */
    public NamedCounters sixSockets() {
        return sixValues.readGroups(sixSockets.text());
    }

    /** Since boot: connections taken in, segments sent again, segments sent. */
    public NamedCounters tcp() {
        return tcpValues.readPairs(snmp.text());
    }

    /** Since boot: accept queues found full, drops at listeners, SYN cookies sent. */
    public NamedCounters tcpExtensions() {
        return extensionValues.readPairs(netstat.text());
    }

    public List<NetDev> interfaces() {
        return NetDev.parse(interfaces.text(), interfaceNames);
    }

    public List<DiskStats> disks() {
        return DiskStats.parse(disks.text(), diskNames);
    }

    public @Nullable PressureStall cpuPressure() {
        return PressureStall.parse(cpuPressure.read());
    }

    public @Nullable PressureStall memoryPressure() {
        return PressureStall.parse(memoryPressure.read());
    }

    public @Nullable PressureStall ioPressure() {
        return PressureStall.parse(ioPressure.read());
    }

    /** Descriptors open on the whole host; null where the kernel does not tell. */
    public @Nullable OpenFiles openFiles() {
        KernelFileText text = files.text();
        long allocated = text.number(-1);
        long free = text.number(-1);
        long limit = text.number(-1);
        return allocated < 0 || free < 0 || limit < 0
                ? null
                : new OpenFiles(Math.max(0, allocated - free), limit);
    }

    /** @param limit how many the kernel allows */
    public record OpenFiles(long open, long limit) {}

    /** Pages of TCP buffers above which the kernel refuses more; -1 where it does not tell. */
    public long tcpMemoryLimitPages() {
        KernelFileText text = tcpMemory.text();
        text.skipWords(2);
        return text.number(-1);
    }

    /**
     * The ports the kernel chooses from for outgoing connections (ip(7)); null where it does not
     * tell.
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
     * How many processes exist. Where the kernel keeps their number it is read off the directory's
     * links in a microsecond (kernel: proc_root_getattr adds nr_processes()); now and then, and in
     * a container, whose number is another, they are counted one by one.
     */
    public int processes() {
        if (directory < 0) {
            directory = reader.open(proc.path("").toString());
        }
        if (linksBesideProcesses >= 0 && looksUntilRecount-- > 0) {
            long now = reader.links(directory, HERE) - linksBesideProcesses;
            if (now > 0) {
                return (int) Math.min(now, Integer.MAX_VALUE);
            }
        }
        return recount();
    }

    private int recount() {
        long counted = reader.countNumbers(directory, HERE);
        if (counted < 0) {
            counted = proc.numbersIn(".").size();
        }
        long beside = reader.links(directory, HERE) - counted;
        boolean told = beside >= 0 && FIRST_PID_NAMESPACE.equals(proc.link("self/ns/pid"));
        // The same twice: what else the links count does not move, and no process came or went in
        // between.
        linksBesideProcesses =
                told && (linksBesideProcesses < 0 || linksBesideProcesses == beside) ? beside : -1;
        looksUntilRecount = RECOUNT_LOOKS;
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
                fourSockets,
                sixSockets,
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
