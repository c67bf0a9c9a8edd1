package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.HostSample.DiskRates;
import dev.komainu.telemetry.record.HostSample.InterfaceRates;
import dev.komainu.telemetry.record.HostSample.KernelRates;
import dev.komainu.telemetry.record.HostSample.Memory;
import dev.komainu.telemetry.record.HostSample.Pressure;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import dev.komainu.telemetry.record.HostSample.Sockets;
import java.io.IOException;

/** Fields of the parts of a host sample. */
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
    }

    static KernelRates readKernel(FieldReader in) throws MalformedBatchException {
        double switches = 0;
        double interrupts = 0;
        double minorFaults = 0;
        double majorFaults = 0;
        Double systemCalls = null;
        double swapIn = 0;
        double swapOut = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> switches = in.number();
                case 2 -> interrupts = in.number();
                case 3 -> minorFaults = in.number();
                case 4 -> majorFaults = in.number();
                case 5 -> systemCalls = in.number();
                case 6 -> swapIn = in.number();
                case 7 -> swapOut = in.number();
                default -> in.skip();
            }
        }
        return new KernelRates(switches, interrupts, minorFaults, majorFaults, systemCalls, swapIn, swapOut);
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
    }

    static Sockets readSockets(FieldReader in) throws MalformedBatchException {
        long[] counts = new long[6];
        double[] rates = new double[12];
        while (in.next()) {
            int field = in.field();
            if (field < counts.length) {
                counts[field] = in.int64();
            } else if (field < rates.length) {
                rates[field] = in.number();
            } else {
                in.skip();
            }
        }
        return new Sockets(
                counts[1], counts[2], counts[3], counts[4], counts[5], rates[6], rates[7], rates[8], rates[9],
                rates[10], rates[11]);
    }

    static void writePressure(Pressure it, FieldWriter out) throws IOException {
        out.number(1, it.cpu());
        out.number(2, it.memory());
        out.number(3, it.io());
    }

    static Pressure readPressure(FieldReader in) throws MalformedBatchException {
        double[] of = numbers(in, 3);
        return new Pressure(of[1], of[2], of[3]);
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
                default -> in.skip();
            }
        }
        return new ServerProcesses(
                service, processes, threads, resident, cores, openFiles, openFilesLimit, acceptQueue, acceptQueueLimit);
    }

    static void writeInterface(InterfaceRates it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.number(2, it.receivedBytesPerSecond());
        out.number(3, it.sentBytesPerSecond());
        out.int64OrAbsent(4, it.speedBitsPerSecond());
    }

    static InterfaceRates readInterface(FieldReader in) throws MalformedBatchException {
        String name = "";
        double received = 0;
        double sent = 0;
        Long speed = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> received = in.number();
                case 3 -> sent = in.number();
                case 4 -> speed = in.int64();
                default -> in.skip();
            }
        }
        return new InterfaceRates(name, received, sent, speed);
    }

    static void writeDisk(DiskRates it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.number(2, it.readBytesPerSecond());
        out.number(3, it.writtenBytesPerSecond());
        out.number(4, it.busyShare());
    }

    static DiskRates readDisk(FieldReader in) throws MalformedBatchException {
        String name = "";
        double read = 0;
        double written = 0;
        double busy = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> read = in.number();
                case 3 -> written = in.number();
                case 4 -> busy = in.number();
                default -> in.skip();
            }
        }
        return new DiskRates(name, read, written, busy);
    }

    /** Reads a message that holds only doubles, numbered 1 to {@code last}. */
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
