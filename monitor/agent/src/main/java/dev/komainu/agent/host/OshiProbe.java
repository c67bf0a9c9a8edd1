package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.HostSample;
import java.util.ArrayList;
import java.util.List;
import oshi.SystemInfo;
import oshi.hardware.CentralProcessor;
import oshi.hardware.CentralProcessor.TickType;
import oshi.hardware.GlobalMemory;
import oshi.hardware.HWDiskStore;
import oshi.hardware.NetworkIF;
import oshi.hardware.VirtualMemory;
import oshi.software.os.FileSystem;
import oshi.software.os.InternetProtocolStats.TcpStats;
import oshi.software.os.OSProcess;
import oshi.software.os.OperatingSystem;

/**
 * A host probe for any system OSHI supports (FreeBSD, macOS, Solaris, Windows). It has no
 * page-fault rates of the host, listen queues or pressure: these stay zero or absent. It reports
 * the processes of servers. A reading costs some 20 ms of CPU, most of it for the list of all
 * processes. One thread at a time.
 */
final class OshiProbe implements HostProbe {

    /** Upper bound of a credible speed. A driver without a known speed reports 2^32 - 1 Mbit/s. */
    private static final long FASTEST = 4_000_000_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final SystemInfo system = new SystemInfo();

    @Override
    public HostReading read(List<WatchedServer> servers, boolean inDoubt) {
        CentralProcessor cpu = system.getHardware().getProcessor();
        OperatingSystem os = system.getOperatingSystem();
        VirtualMemory swap = system.getHardware().getMemory().getVirtualMemory();
        double[] load = cpu.getSystemLoadAverage(3);
        FileSystem files = os.getFileSystem();
        return new HostReading(
                EpochMicros.now(),
                System.nanoTime(),
                new HostReading.Resources(
                        cpus(cpu), memory(system.getHardware().getMemory()), interfaces(), disks()),
                new HostReading.KernelCounters(
                        cpu.getContextSwitches(),
                        cpu.getInterrupts(),
                        0,
                        0,
                        null,
                        swap.getSwapPagesIn(),
                        swap.getSwapPagesOut()),
                new HostReading.Network(
                        stack(os.getInternetProtocolStats().getTCPv4Stats()), List.of()),
                null,
                new HostReading.Totals(
                        os.getProcessCount(),
                        os.getThreadCount(),
                        new HostReading.Load(
                                Math.max(0, load[0]), Math.max(0, load[1]), Math.max(0, load[2])),
                        files.getMaxFileDescriptors() > 0
                                ? new HostSample.FileHandles(
                                        files.getOpenFileDescriptors(),
                                        files.getMaxFileDescriptors())
                                : null),
                servers(os, servers));
    }

    private static List<CpuTicks> cpus(CentralProcessor cpu) {
        List<CpuTicks> rows = new ArrayList<>();
        for (long[] t : cpu.getProcessorCpuLoadTicks()) {
            rows.add(new CpuTicks(
                    rows.size(),
                    t[TickType.USER.getIndex()] + t[TickType.NICE.getIndex()],
                    t[TickType.SYSTEM.getIndex()]
                            + t[TickType.IRQ.getIndex()]
                            + t[TickType.SOFTIRQ.getIndex()],
                    t[TickType.IOWAIT.getIndex()],
                    t[TickType.STEAL.getIndex()],
                    t[TickType.IDLE.getIndex()],
                    t[TickType.SOFTIRQ.getIndex()]));
        }
        return rows;
    }

    private static HostSample.Memory memory(GlobalMemory memory) {
        VirtualMemory swap = memory.getVirtualMemory();
        return new HostSample.Memory(
                memory.getTotal(),
                // OSHI does not distinguish free from available memory: the estimate stands for
                // both.
                memory.getAvailable(),
                memory.getAvailable(),
                0,
                swap.getSwapTotal(),
                swap.getSwapTotal() - swap.getSwapUsed());
    }

    private static HostReading.Stack stack(TcpStats tcp) {
        return new HostReading.Stack(
                0,
                tcp.getConnectionsEstablished(),
                0,
                0,
                0,
                null,
                new HostReading.Stack.StackEvents(
                        tcp.getConnectionsPassive(),
                        0,
                        0,
                        0,
                        tcp.getSegmentsRetransmitted(),
                        tcp.getSegmentsSent()));
    }

    private static List<HostReading.Server> servers(
            OperatingSystem os, List<WatchedServer> watched) {
        List<HostReading.Server> rows = new ArrayList<>();
        for (WatchedServer server : watched) {
            Long id = server.processId();
            OSProcess top = id == null ? null : os.getProcess(id.intValue());
            if (top != null) {
                List<OSProcess> tree = new ArrayList<>(os.getDescendantProcesses(
                        top.getProcessID(),
                        OperatingSystem.ProcessFiltering.ALL_PROCESSES,
                        null,
                        0));
                tree.add(top);
                rows.add(new HostReading.Server(
                        server.service(), processes(tree), null, null, null, null, null));
            }
        }
        return rows;
    }

    private static HostReading.Processes processes(List<OSProcess> tree) {
        long threads = 0;
        long resident = 0;
        long cpuNanos = 0;
        long minor = 0;
        long major = 0;
        long switches = 0;
        OSProcess fullest = tree.getFirst();
        for (OSProcess process : tree) {
            threads += process.getThreadCount();
            resident += process.getResidentMemory();
            cpuNanos += (process.getKernelTime() + process.getUserTime()) * NANOS_PER_MILLI;
            minor += process.getMinorFaults();
            major += process.getMajorFaults();
            switches += process.getContextSwitches();
            fullest = process.getOpenFiles() > fullest.getOpenFiles() ? process : fullest;
        }
        long files = fullest.getOpenFiles();
        return new HostReading.Processes(
                tree.size(),
                (int) Math.min(threads, Integer.MAX_VALUE),
                resident,
                cpuNanos,
                files < 0 ? null : files,
                files < 0 ? null : fullest.getSoftOpenFileLimit(),
                new HostReading.WorkCounters(minor, major, switches, null),
                null);
    }

    private List<HostReading.Interface> interfaces() {
        List<HostReading.Interface> rows = new ArrayList<>();
        for (NetworkIF row : system.getHardware().getNetworkIFs(true)) {
            rows.add(new HostReading.Interface(
                    row.getName(),
                    row.getBytesRecv(),
                    row.getBytesSent(),
                    row.getPacketsRecv(),
                    row.getPacketsSent(),
                    row.getInDrops(),
                    row.getInErrors() + row.getOutErrors(),
                    row.getSpeed() > 0 && row.getSpeed() < FASTEST ? row.getSpeed() : null,
                    null));
        }
        return rows;
    }

    private List<HostReading.Disk> disks() {
        List<HostReading.Disk> rows = new ArrayList<>();
        for (HWDiskStore disk : system.getHardware().getDiskStores()) {
            String name = disk.getName();
            rows.add(new HostReading.Disk(
                    name.startsWith("/dev/") ? name.substring("/dev/".length()) : name,
                    disk.getReadBytes(),
                    disk.getWriteBytes(),
                    disk.getTransferTime(),
                    disk.getReads(),
                    disk.getWrites(),
                    0,
                    0));
        }
        return rows;
    }

    @Override
    public void close() {
        // OSHI keeps no resource open.
    }
}
