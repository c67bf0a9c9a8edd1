package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample.ControlGroup;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.HostSample.DiskRates;
import dev.komainu.telemetry.record.HostSample.FileHandles;
import dev.komainu.telemetry.record.HostSample.InterfaceRates;
import dev.komainu.telemetry.record.HostSample.KernelRates;
import dev.komainu.telemetry.record.HostSample.Listener;
import dev.komainu.telemetry.record.HostSample.Memory;
import dev.komainu.telemetry.record.HostSample.Ports;
import dev.komainu.telemetry.record.HostSample.Pressure;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Sockets;
import dev.komainu.telemetry.record.HostSample.Waits;
import dev.komainu.telemetry.record.HostSample.Work;
import java.io.IOException;

/** Wire fields of the parts of a host sample. */
final class HostPartFields {

    private HostPartFields() {}

    static void writeCpu(CpuShare it, FieldWriter out) throws IOException {
        out.number(1, it.user());
        out.number(2, it.kernel());
        out.number(3, it.iowait());
        out.number(4, it.steal());
        out.number(5, it.idle());
    }

    static CpuShare readCpu(FieldReader in) throws MalformedBatchException {
        double[] of = numbers(in, 5);
        return new CpuShare(of[1], of[2], of[3], of[4], of[5]);
    }

    static void writeMemory(Memory it, FieldWriter out) throws IOException {
        out.int64(1, it.total());
        out.int64(2, it.free());
        out.int64(3, it.available());
        out.int64(4, it.cached());
        out.int64(5, it.swapTotal());
        out.int64(6, it.swapFree());
    }

    static Memory readMemory(FieldReader in) throws MalformedBatchException {
        long[] of = new long[7];
        while (in.next()) {
            int field = in.field();
            if (field < of.length) {
                of[field] = in.int64();
            } else {
                in.skip();
            }
        }
        return new Memory(of[1], of[2], of[3], of[4], of[5], of[6]);
    }

    static void writeKernel(KernelRates it, FieldWriter out) throws IOException {
        out.number(1, it.contextSwitches());
        out.number(2, it.interrupts());
        out.number(3, it.minorFaults());
        out.number(4, it.majorFaults());
        out.numberOrAbsent(5, it.systemCalls());
        out.number(6, it.swapInPages());
        out.number(7, it.swapOutPages());
        out.numberOrAbsent(8, it.readWriteCalls());
    }

    static KernelRates readKernel(FieldReader in) throws MalformedBatchException {
        double switches = 0;
        double interrupts = 0;
        double minorFaults = 0;
        double majorFaults = 0;
        Double systemCalls = null;
        double swapIn = 0;
        double swapOut = 0;
        Double readWriteCalls = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> switches = in.number();
                case 2 -> interrupts = in.number();
                case 3 -> minorFaults = in.number();
                case 4 -> majorFaults = in.number();
                case 5 -> systemCalls = in.number();
                case 6 -> swapIn = in.number();
                case 7 -> swapOut = in.number();
                case 8 -> readWriteCalls = in.number();
                default -> in.skip();
            }
        }
        return new KernelRates(
                switches,
                interrupts,
                minorFaults,
                majorFaults,
                systemCalls,
                swapIn,
                swapOut,
                readWriteCalls);
    }

    static void writeSockets(Sockets it, FieldWriter out) throws IOException {
        out.int64(1, it.used());
        out.int64(2, it.tcpInUse());
        out.int64(3, it.tcpOrphan());
        out.int64(4, it.tcpTimeWait());
        out.int64(5, it.tcpMemoryBytes());
        out.number(6, it.passiveOpensPerSecond());
        out.number(7, it.listenOverflowsPerSecond());
        out.number(8, it.listenDropsPerSecond());
        out.number(9, it.synCookiesPerSecond());
        out.number(10, it.retransmittedPerSecond());
        out.number(11, it.sentSegmentsPerSecond());
        out.int64OrAbsent(12, it.tcpMemoryLimitBytes());
    }

    static Sockets readSockets(FieldReader in) throws MalformedBatchException {
        long[] counts = new long[6];
        double[] rates = new double[12];
        Long memoryLimit = null;
        while (in.next()) {
            int field = in.field();
            if (field < counts.length) {
                counts[field] = in.int64();
            } else if (field < rates.length) {
                rates[field] = in.number();
            } else if (field == 12) {
                memoryLimit = in.int64();
            } else {
                in.skip();
            }
        }
        return new Sockets(
                counts[1],
                counts[2],
                counts[3],
                counts[4],
                counts[5],
                rates[6],
                rates[7],
                rates[8],
                rates[9],
                rates[10],
                rates[11],
                memoryLimit);
    }

    static void writePressure(Pressure it, FieldWriter out) throws IOException {
        out.number(1, it.cpu());
        out.number(2, it.memory());
        out.number(3, it.io());
        out.numberOrAbsent(4, it.memoryFull());
        out.numberOrAbsent(5, it.ioFull());
    }

    static Pressure readPressure(FieldReader in) throws MalformedBatchException {
        double[] some = new double[4];
        Double memoryFull = null;
        Double ioFull = null;
        while (in.next()) {
            switch (in.field()) {
                case 1, 2, 3 -> some[in.field()] = in.number();
                case 4 -> memoryFull = in.number();
                case 5 -> ioFull = in.number();
                default -> in.skip();
            }
        }
        return new Pressure(some[1], some[2], some[3], memoryFull, ioFull);
    }

    static void writeFiles(FileHandles it, FieldWriter out) throws IOException {
        out.int64(1, it.open());
        out.int64(2, it.limit());
    }

    static FileHandles readFiles(FieldReader in) throws MalformedBatchException {
        long open = 0;
        long limit = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> open = in.int64();
                case 2 -> limit = in.int64();
                default -> in.skip();
            }
        }
        return new FileHandles(open, limit);
    }

    static void writeListener(Listener it, FieldWriter out) throws IOException {
        out.endpoint(1, it.address());
        out.int64(2, it.queue());
        out.int64(3, it.limit());
        out.textOrAbsent(4, it.service());
    }

    static Listener readListener(FieldReader in) throws MalformedBatchException {
        Endpoint address = null;
        long queue = 0;
        long limit = 0;
        String service = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> address = in.endpoint();
                case 2 -> queue = in.int64();
                case 3 -> limit = in.int64();
                case 4 -> service = in.text();
                default -> in.skip();
            }
        }
        return new Listener(in.require(address, "address"), queue, limit, service);
    }

    static void writeServer(ServerProcesses it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.int32(2, it.processes());
        out.int32(3, it.threads());
        out.int64(4, it.residentBytes());
        out.number(5, it.cpuCores());
        out.int64OrAbsent(6, it.openFiles());
        out.int64OrAbsent(7, it.openFilesLimit());
        out.int64OrAbsent(8, it.acceptQueue());
        out.int64OrAbsent(9, it.acceptQueueLimit());
        out.messageOrAbsent(10, it.work(), HostPartFields::writeWork);
        out.messageOrAbsent(11, it.waits(), ServerPartFields::writeWaits);
        out.messageOrAbsent(12, it.group(), ServerPartFields::writeGroup);
        out.messageOrAbsent(13, it.ports(), ServerPartFields::writePorts);
        out.numberOrAbsent(14, it.listenDropsPerSecond());
    }

    private static void writeWork(Work it, FieldWriter out) throws IOException {
        out.number(1, it.minorFaults());
        out.number(2, it.majorFaults());
        out.number(3, it.contextSwitches());
        out.numberOrAbsent(4, it.readWriteCalls());
    }

    private static Work readWork(FieldReader in) throws MalformedBatchException {
        double minorFaults = 0;
        double majorFaults = 0;
        double switches = 0;
        Double readWriteCalls = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> minorFaults = in.number();
                case 2 -> majorFaults = in.number();
                case 3 -> switches = in.number();
                case 4 -> readWriteCalls = in.number();
                default -> in.skip();
            }
        }
        return new Work(minorFaults, majorFaults, switches, readWriteCalls);
    }

    static ServerProcesses readServer(FieldReader in) throws MalformedBatchException {
        String service = "";
        int processes = 0;
        int threads = 0;
        long resident = 0;
        double cores = 0;
        Long openFiles = null;
        Long openFilesLimit = null;
        Long acceptQueue = null;
        Long acceptQueueLimit = null;
        Work work = null;
        Waits waits = null;
        ControlGroup group = null;
        Ports ports = null;
        Double listenDrops = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 2 -> processes = in.int32();
                case 3 -> threads = in.int32();
                case 4 -> resident = in.int64();
                case 5 -> cores = in.number();
                case 6 -> openFiles = in.int64();
                case 7 -> openFilesLimit = in.int64();
                case 8 -> acceptQueue = in.int64();
                case 9 -> acceptQueueLimit = in.int64();
                case 10 -> work = in.message("work", HostPartFields::readWork);
                case 11 -> waits = in.message("waits", ServerPartFields::readWaits);
                case 12 -> group = in.message("group", ServerPartFields::readGroup);
                case 13 -> ports = in.message("ports", ServerPartFields::readPorts);
                case 14 -> listenDrops = in.number();
                default -> in.skip();
            }
        }
        return new ServerProcesses(
                service,
                processes,
                threads,
                resident,
                cores,
                openFiles,
                openFilesLimit,
                acceptQueue,
                acceptQueueLimit,
                work,
                waits,
                group,
                ports,
                listenDrops);
    }

    static void writeInterface(InterfaceRates it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.number(2, it.receivedBytesPerSecond());
        out.number(3, it.sentBytesPerSecond());
        out.int64OrAbsent(4, it.speedBitsPerSecond());
        out.number(5, it.receivedPacketsPerSecond());
        out.number(6, it.sentPacketsPerSecond());
        out.number(7, it.dropsPerSecond());
        out.number(8, it.errorsPerSecond());
        out.int64OrAbsent(9, it.shapedBitsPerSecond());
        out.number(10, it.queueDropsPerSecond());
        out.int64(11, it.queuedBytes());
    }

    static InterfaceRates readInterface(FieldReader in) throws MalformedBatchException {
        String name = "";
        double received = 0;
        double sent = 0;
        Long speed = null;
        double[] rates = new double[9];
        Long shaped = null;
        double queueDrops = 0;
        long queued = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> received = in.number();
                case 3 -> sent = in.number();
                case 4 -> speed = in.int64();
                case 5, 6, 7, 8 -> rates[in.field()] = in.number();
                case 9 -> shaped = in.int64();
                case 10 -> queueDrops = in.number();
                case 11 -> queued = in.int64();
                default -> in.skip();
            }
        }
        return new InterfaceRates(
                name,
                received,
                sent,
                speed,
                rates[5],
                rates[6],
                rates[7],
                rates[8],
                shaped,
                queueDrops,
                queued);
    }

    static void writeDisk(DiskRates it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.number(2, it.readBytesPerSecond());
        out.number(3, it.writtenBytesPerSecond());
        out.number(4, it.busyShare());
        out.number(5, it.readsPerSecond());
        out.number(6, it.writesPerSecond());
        out.number(7, it.waitMillis());
        out.number(8, it.queueLength());
    }

    static DiskRates readDisk(FieldReader in) throws MalformedBatchException {
        String name = "";
        double[] of = new double[9];
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2, 3, 4, 5, 6, 7, 8 -> of[in.field()] = in.number();
                default -> in.skip();
            }
        }
        return new DiskRates(name, of[2], of[3], of[4], of[5], of[6], of[7], of[8]);
    }

    /** Reads a message that has only doubles, numbered 1 to {@code last}. */
    private static double[] numbers(FieldReader in, int last) throws MalformedBatchException {
        double[] of = new double[last + 1];
        while (in.next()) {
            int field = in.field();
            if (field <= last) {
                of[field] = in.number();
            } else {
                in.skip();
            }
        }
        return of;
    }
}
