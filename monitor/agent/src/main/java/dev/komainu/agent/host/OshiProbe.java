package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcStat.CpuTicks;
import dev.komainu.telemetry.record.HostSample;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import oshi.SystemInfo;
import oshi.hardware.CentralProcessor;
import oshi.hardware.CentralProcessor.TickType;
import oshi.hardware.GlobalMemory;
import oshi.hardware.HWDiskStore;
import oshi.hardware.NetworkIF;
import oshi.hardware.VirtualMemory;
import oshi.software.os.InternetProtocolStats.TcpStats;
import oshi.software.os.OSProcess;
import oshi.software.os.OperatingSystem;

/**
 * Any system OSHI knows (FreeBSD, macOS, Solaris, Windows). It has no page-fault rates, listen queues or pressure: those
 * stay zero or absent here, and of a server only the listening process itself is counted. One thread at a time.
 */
final class OshiProbe implements HostProbe {

    private final SystemInfo system = new SystemInfo();

    @Override
    public HostReading read(List<WatchedServer> servers) {
        CentralProcessor cpu = system.getHardware().getProcessor();
        OperatingSystem os = system.getOperatingSystem();
        VirtualMemory swap = system.getHardware().getMemory().getVirtualMemory();
        double load = cpu.getSystemLoadAverage(1)[0];
        return new HostReading(
                ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
                System.nanoTime(),
                cpus(cpu),
                memory(system.getHardware().getMemory()),
                new HostReading.KernelCounters(
                        cpu.getContextSwitches(),
                        cpu.getInterrupts(),
                        0,
                        0,
                        null,
                        swap.getSwapPagesIn(),
                        swap.getSwapPagesOut()),
                stack(os.getInternetProtocolStats().getTCPv4Stats()),
                null,
                os.getProcessCount(),
                os.getThreadCount(),
                Math.max(0, load),
                servers(os, servers),
                interfaces(),
                disks());
    }

    private static List<CpuTicks> cpus(CentralProcessor cpu) {
        List<CpuTicks> rows = new ArrayList<>();
        for (long[] t : cpu.getProcessorCpuLoadTicks()) {
            rows.add(new CpuTicks(
                    t[TickType.USER.getIndex()] + t[TickType.NICE.getIndex()],
                    t[TickType.SYSTEM.getIndex()] + t[TickType.IRQ.getIndex()] + t[TickType.SOFTIRQ.getIndex()],
                    t[TickType.IOWAIT.getIndex()],
                    t[TickType.STEAL.getIndex()],
                    t[TickType.IDLE.getIndex()]));
        }
        return rows;
    }

    private static HostSample.Memory memory(GlobalMemory memory) {
        VirtualMemory swap = memory.getVirtualMemory();
        return new HostSample.Memory(
                memory.getTotal(),
                // OSHI does not tell free memory from what can be had: the estimate stands for both.
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
                tcp.getConnectionsPassive(),
                0,
                0,
                0,
                tcp.getSegmentsRetransmitted(),
                tcp.getSegmentsSent());
    }

    private static List<HostReading.Server> servers(OperatingSystem os, List<WatchedServer> watched) {
        List<HostReading.Server> rows = new ArrayList<>();
        for (WatchedServer server : watched) {
            Long id = server.processId();
            OSProcess process = id == null ? null : os.getProcess(id.intValue());
            if (process != null) {
                long files = process.getOpenFiles();
                rows.add(new HostReading.Server(
                        server.service(),
                        1,
                        process.getThreadCount(),
                        process.getResidentMemory(),
                        process.getKernelTime() + process.getUserTime(),
                        files < 0 ? null : files,
                        files < 0 ? null : process.getSoftOpenFileLimit(),
                        null,
                        null));
            }
        }
        return rows;
    }

    private List<HostReading.Interface> interfaces() {
        List<HostReading.Interface> rows = new ArrayList<>();
        for (NetworkIF nic : system.getHardware().getNetworkIFs(true)) {
            rows.add(new HostReading.Interface(
                    nic.getName(), nic.getBytesRecv(), nic.getBytesSent(), nic.getSpeed() > 0 ? nic.getSpeed() : null));
        }
        return rows;
    }

    private List<HostReading.Disk> disks() {
        List<HostReading.Disk> rows = new ArrayList<>();
        for (HWDiskStore disk : system.getHardware().getDiskStores()) {
            rows.add(new HostReading.Disk(
                    disk.getName(), disk.getReadBytes(), disk.getWriteBytes(), disk.getTransferTime()));
        }
        return rows;
    }

    @Override
    public void close() {
        // OSHI keeps nothing open.
    }
}
