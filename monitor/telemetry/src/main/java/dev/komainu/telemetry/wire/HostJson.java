package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.HostSample.DiskRates;
import dev.komainu.telemetry.record.HostSample.FileHandles;
import dev.komainu.telemetry.record.HostSample.InterfaceRates;
import dev.komainu.telemetry.record.HostSample.KernelRates;
import dev.komainu.telemetry.record.HostSample.Listener;
import dev.komainu.telemetry.record.HostSample.Memory;
import dev.komainu.telemetry.record.HostSample.Pressure;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Sockets;
import dev.komainu.telemetry.record.HostSample.Work;

/** JSON of a host sample: flat, except for lists. */
final class HostJson {

    private HostJson() {}

    static void write(HostSample it, JsonObjectWriter out) {
        out.text("node", it.node());
        out.int64("atMicros", it.atMicros());
        out.int64("intervalMicros", it.intervalMicros());
        out.objects("cpus", it.cpus(), HostJson::writeCpu);
        Memory memory = it.memory();
        out.int64("memoryTotal", memory.total());
        out.int64("memoryFree", memory.free());
        out.int64("memoryAvailable", memory.available());
        out.int64("memoryCached", memory.cached());
        out.int64("swapTotal", memory.swapTotal());
        out.int64("swapFree", memory.swapFree());
        KernelRates kernel = it.kernel();
        out.number("contextSwitches", kernel.contextSwitches());
        out.number("interrupts", kernel.interrupts());
        out.number("minorFaults", kernel.minorFaults());
        out.number("majorFaults", kernel.majorFaults());
        out.number("systemCalls", kernel.systemCalls());
        out.number("swapInPages", kernel.swapInPages());
        out.number("swapOutPages", kernel.swapOutPages());
        out.number("readWriteCalls", kernel.readWriteCalls());
        Sockets sockets = it.sockets();
        out.int64("socketsUsed", sockets.used());
        out.int64("tcpInUse", sockets.tcpInUse());
        out.int64("tcpOrphan", sockets.tcpOrphan());
        out.int64("tcpTimeWait", sockets.tcpTimeWait());
        out.int64("tcpMemoryBytes", sockets.tcpMemoryBytes());
        out.number("passiveOpensPerSecond", sockets.passiveOpensPerSecond());
        out.number("listenOverflowsPerSecond", sockets.listenOverflowsPerSecond());
        out.number("listenDropsPerSecond", sockets.listenDropsPerSecond());
        out.number("synCookiesPerSecond", sockets.synCookiesPerSecond());
        out.number("retransmittedPerSecond", sockets.retransmittedPerSecond());
        out.number("sentSegmentsPerSecond", sockets.sentSegmentsPerSecond());
        out.int64OrAbsent("tcpMemoryLimitBytes", sockets.tcpMemoryLimitBytes());
        Pressure pressure = it.pressure();
        if (pressure != null) {
            out.number("pressureCpu", pressure.cpu());
            out.number("pressureMemory", pressure.memory());
            out.number("pressureIo", pressure.io());
            out.number("pressureMemoryFull", pressure.memoryFull());
            out.number("pressureIoFull", pressure.ioFull());
        }
        out.int64("processes", it.processes());
        out.int64("threads", it.threads());
        out.number("load1", it.load1());
        out.objects("servers", it.servers(), HostJson::writeServer);
        out.objects("interfaces", it.interfaces(), HostJson::writeInterface);
        out.objects("disks", it.disks(), HostJson::writeDisk);
        out.number("load5", it.load5());
        out.number("load15", it.load15());
        FileHandles files = it.files();
        if (files != null) {
            out.int64("filesOpen", files.open());
            out.int64("filesLimit", files.limit());
        }
        out.objects("listeners", it.listeners(), HostJson::writeListener);
        out.int64("samplingMicros", it.samplingMicros());
    }

    static HostSample read(JsonObjectReader in) throws MalformedBatchException {
        return new HostSample(
                in.text("node"),
                in.int64("atMicros"),
                in.int64("intervalMicros"),
                in.objects("cpus", HostJson::readCpu),
                new Memory(
                        in.count("memoryTotal"),
                        in.count("memoryFree"),
                        in.count("memoryAvailable"),
                        in.count("memoryCached"),
                        in.count("swapTotal"),
                        in.count("swapFree")),
                new KernelRates(
                        in.number("contextSwitches"),
                        in.number("interrupts"),
                        in.number("minorFaults"),
                        in.number("majorFaults"),
                        in.numberOrAbsent("systemCalls"),
                        in.number("swapInPages"),
                        in.number("swapOutPages"),
                        in.numberOrAbsent("readWriteCalls")),
                new Sockets(
                        in.count("socketsUsed"),
                        in.count("tcpInUse"),
                        in.count("tcpOrphan"),
                        in.count("tcpTimeWait"),
                        in.count("tcpMemoryBytes"),
                        in.number("passiveOpensPerSecond"),
                        in.number("listenOverflowsPerSecond"),
                        in.number("listenDropsPerSecond"),
                        in.number("synCookiesPerSecond"),
                        in.number("retransmittedPerSecond"),
                        in.number("sentSegmentsPerSecond"),
                        in.int64OrAbsent("tcpMemoryLimitBytes")),
                in.has("pressureCpu") || in.has("pressureMemory") || in.has("pressureIo")
                        ? new Pressure(
                                in.number("pressureCpu"),
                                in.number("pressureMemory"),
                                in.number("pressureIo"),
                                in.numberOrAbsent("pressureMemoryFull"),
                                in.numberOrAbsent("pressureIoFull"))
                        : null,
                in.count32("processes"),
                in.count32("threads"),
                in.number("load1"),
                in.objects("servers", HostJson::readServer),
                in.objects("interfaces", HostJson::readInterface),
                in.objects("disks", HostJson::readDisk),
                in.number("load5"),
                in.number("load15"),
                in.has("filesLimit")
                        ? new FileHandles(in.count("filesOpen"), in.count("filesLimit"))
                        : null,
                in.objects("listeners", HostJson::readListener),
                in.count("samplingMicros"));
    }

    private static void writeListener(Listener it, JsonObjectWriter out) {
        out.text("address", it.address().toString());
        out.int64("queue", it.queue());
        out.int64("limit", it.limit());
        out.text("service", it.service());
    }

    private static Listener readListener(JsonObjectReader in) throws MalformedBatchException {
        return new Listener(
                in.endpoint("address"),
                in.count("queue"),
                in.count("limit"),
                in.textOrAbsent("service"));
    }

    private static void writeCpu(CpuShare it, JsonObjectWriter out) {
        out.number("user", it.user());
        out.number("kernel", it.kernel());
        out.number("iowait", it.iowait());
        out.number("steal", it.steal());
        out.number("idle", it.idle());
    }

    private static CpuShare readCpu(JsonObjectReader in) throws MalformedBatchException {
        return new CpuShare(
                in.number("user"),
                in.number("kernel"),
                in.number("iowait"),
                in.number("steal"),
                in.number("idle"));
    }

    private static void writeServer(ServerProcesses it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.int64("processes", it.processes());
        out.int64("threads", it.threads());
        out.int64("residentBytes", it.residentBytes());
        out.number("cpuCores", it.cpuCores());
        out.int64OrAbsent("openFiles", it.openFiles());
        out.int64OrAbsent("openFilesLimit", it.openFilesLimit());
        out.int64OrAbsent("acceptQueue", it.acceptQueue());
        out.int64OrAbsent("acceptQueueLimit", it.acceptQueueLimit());
        out.number("listenDropsPerSecond", it.listenDropsPerSecond());
        Work work = it.work();
        if (work != null) {
            out.number("minorFaults", work.minorFaults());
            out.number("majorFaults", work.majorFaults());
            out.number("contextSwitches", work.contextSwitches());
            out.number("readWriteCalls", work.readWriteCalls());
        }
        ServerPartJson.write(it, out);
    }

    private static ServerProcesses readServer(JsonObjectReader in) throws MalformedBatchException {
        return new ServerProcesses(
                in.text("service"),
                in.count32("processes"),
                in.count32("threads"),
                in.count("residentBytes"),
                in.number("cpuCores"),
                in.int64OrAbsent("openFiles"),
                in.int64OrAbsent("openFilesLimit"),
                in.int64OrAbsent("acceptQueue"),
                in.int64OrAbsent("acceptQueueLimit"),
                in.has("contextSwitches")
                        ? new Work(
                                in.number("minorFaults"),
                                in.number("majorFaults"),
                                in.number("contextSwitches"),
                                in.numberOrAbsent("readWriteCalls"))
                        : null,
                ServerPartJson.readWaits(in),
                ServerPartJson.readGroup(in),
                ServerPartJson.readPorts(in),
                in.numberOrAbsent("listenDropsPerSecond"));
    }

    private static void writeInterface(InterfaceRates it, JsonObjectWriter out) {
        out.text("name", it.name());
        out.number("receivedBytesPerSecond", it.receivedBytesPerSecond());
        out.number("sentBytesPerSecond", it.sentBytesPerSecond());
        out.int64OrAbsent("speedBitsPerSecond", it.speedBitsPerSecond());
        out.number("receivedPacketsPerSecond", it.receivedPacketsPerSecond());
        out.number("sentPacketsPerSecond", it.sentPacketsPerSecond());
        out.number("dropsPerSecond", it.dropsPerSecond());
        out.number("errorsPerSecond", it.errorsPerSecond());
        out.int64OrAbsent("shapedBitsPerSecond", it.shapedBitsPerSecond());
        out.number("queueDropsPerSecond", it.queueDropsPerSecond());
        out.int64("queuedBytes", it.queuedBytes());
    }

    private static InterfaceRates readInterface(JsonObjectReader in)
            throws MalformedBatchException {
        return new InterfaceRates(
                in.text("name"),
                in.number("receivedBytesPerSecond"),
                in.number("sentBytesPerSecond"),
                in.int64OrAbsent("speedBitsPerSecond"),
                in.number("receivedPacketsPerSecond"),
                in.number("sentPacketsPerSecond"),
                in.number("dropsPerSecond"),
                in.number("errorsPerSecond"),
                in.int64OrAbsent("shapedBitsPerSecond"),
                in.number("queueDropsPerSecond"),
                in.count("queuedBytes"));
    }

    private static void writeDisk(DiskRates it, JsonObjectWriter out) {
        out.text("name", it.name());
        out.number("readBytesPerSecond", it.readBytesPerSecond());
        out.number("writtenBytesPerSecond", it.writtenBytesPerSecond());
        out.number("busyShare", it.busyShare());
        out.number("readsPerSecond", it.readsPerSecond());
        out.number("writesPerSecond", it.writesPerSecond());
        out.number("waitMillis", it.waitMillis());
        out.number("queueLength", it.queueLength());
    }

    private static DiskRates readDisk(JsonObjectReader in) throws MalformedBatchException {
        return new DiskRates(
                in.text("name"),
                in.number("readBytesPerSecond"),
                in.number("writtenBytesPerSecond"),
                in.number("busyShare"),
                in.number("readsPerSecond"),
                in.number("writesPerSecond"),
                in.number("waitMillis"),
                in.number("queueLength"));
    }
}
