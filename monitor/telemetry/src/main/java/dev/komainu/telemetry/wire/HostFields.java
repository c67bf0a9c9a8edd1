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
import java.io.IOException;
import java.util.List;

/** Wire fields of a host sample; its parts are in {@link HostPartFields}. */
final class HostFields {

    private HostFields() {}

    static void write(HostSample it, FieldWriter out) throws IOException {
        out.text(1, it.node());
        out.int64(2, it.atMicros());
        out.int64(3, it.intervalMicros());
        out.messages(4, it.cpus(), HostPartFields::writeCpu);
        out.message(5, it.memory(), HostPartFields::writeMemory);
        out.message(6, it.kernel(), HostPartFields::writeKernel);
        out.message(7, it.sockets(), HostPartFields::writeSockets);
        out.messageOrAbsent(8, it.pressure(), HostPartFields::writePressure);
        out.int32(9, it.processes());
        out.int32(10, it.threads());
        out.number(11, it.load1());
        out.messages(12, it.servers(), HostPartFields::writeServer);
        out.messages(13, it.interfaces(), HostPartFields::writeInterface);
        out.messages(14, it.disks(), HostPartFields::writeDisk);
        out.number(15, it.load5());
        out.number(16, it.load15());
        out.messageOrAbsent(17, it.files(), HostPartFields::writeFiles);
        out.messages(18, it.listeners(), HostPartFields::writeListener);
        out.int64(19, it.samplingMicros());
    }

    static HostSample read(FieldReader in) throws MalformedBatchException {
        String node = "";
        long at = 0;
        long interval = 0;
        List<CpuShare> cpus = FieldReader.list();
        Memory memory = new Memory(0, 0, 0, 0, 0, 0);
        KernelRates kernel = new KernelRates(0, 0, 0, 0, null, 0, 0);
        Sockets sockets = new Sockets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        Pressure pressure = null;
        int processes = 0;
        int threads = 0;
        double load1 = 0;
        List<ServerProcesses> servers = FieldReader.list();
        List<InterfaceRates> interfaces = FieldReader.list();
        List<DiskRates> disks = FieldReader.list();
        double load5 = 0;
        double load15 = 0;
        FileHandles files = null;
        List<Listener> listeners = FieldReader.list();
        long sampling = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> node = in.text();
                case 2 -> at = in.int64();
                case 3 -> interval = in.int64();
                case 4 -> in.messages("cpu", cpus, HostPartFields::readCpu);
                case 5 -> memory = in.message("memory", HostPartFields::readMemory);
                case 6 -> kernel = in.message("kernel", HostPartFields::readKernel);
                case 7 -> sockets = in.message("sockets", HostPartFields::readSockets);
                case 8 -> pressure = in.message("pressure", HostPartFields::readPressure);
                case 9 -> processes = in.int32();
                case 10 -> threads = in.int32();
                case 11 -> load1 = in.number();
                case 12 -> in.messages("server", servers, HostPartFields::readServer);
                case 13 -> in.messages("interface", interfaces, HostPartFields::readInterface);
                case 14 -> in.messages("disk", disks, HostPartFields::readDisk);
                case 15 -> load5 = in.number();
                case 16 -> load15 = in.number();
                case 17 -> files = in.message("files", HostPartFields::readFiles);
                case 18 -> in.messages("listener", listeners, HostPartFields::readListener);
                case 19 -> sampling = in.int64();
                default -> in.skip();
            }
        }
        return new HostSample(
                node,
                at,
                interval,
                cpus,
                memory,
                kernel,
                sockets,
                pressure,
                processes,
                threads,
                load1,
                servers,
                interfaces,
                disks,
                load5,
                load15,
                files,
                listeners,
                sampling);
    }
}
