package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample.ControlGroup;
import dev.komainu.telemetry.record.HostSample.Ports;
import dev.komainu.telemetry.record.HostSample.Waits;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Wire fields of a watched server's parts: its waiting times, its control group, its ports. */
final class ServerPartFields {

    private ServerPartFields() {}

    static void writeWaits(Waits it, FieldWriter out) throws IOException {
        out.number(1, it.kernelCores());
        out.numberOrAbsent(2, it.waitingThreads());
        out.int32(3, it.blockedThreads());
        out.numberOrAbsent(4, it.readBytesPerSecond());
        out.numberOrAbsent(5, it.writtenBytesPerSecond());
    }

    static Waits readWaits(FieldReader in) throws MalformedBatchException {
        double kernel = 0;
        Double waiting = null;
        int blocked = 0;
        Double read = null;
        Double written = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> kernel = in.number();
                case 2 -> waiting = in.number();
                case 3 -> blocked = in.int32();
                case 4 -> read = in.number();
                case 5 -> written = in.number();
                default -> in.skip();
            }
        }
        return new Waits(kernel, waiting, blocked, read, written);
    }

    static void writeGroup(ControlGroup it, FieldWriter out) throws IOException {
        out.numberOrAbsent(1, it.cpuQuotaCores());
        out.numberOrAbsent(2, it.throttledShare());
        out.numberOrAbsent(3, it.throttledPerSecond());
        out.int64OrAbsent(4, it.memoryLimitBytes());
        out.int64OrAbsent(5, it.memoryUsedBytes());
        out.numberOrAbsent(6, it.memoryLimitHitsPerSecond());
        out.numberOrAbsent(7, it.refaultsPerSecond());
        out.numberOrAbsent(8, it.killsPerSecond());
        out.int64OrAbsent(9, it.readLimitBytesPerSecond());
        out.int64OrAbsent(10, it.writeLimitBytesPerSecond());
    }

    static ControlGroup readGroup(FieldReader in) throws MalformedBatchException {
        @Nullable Double[] rates = new Double[11];
        @Nullable Long[] sizes = new Long[11];
        while (in.next()) {
            switch (in.field()) {
                case 1, 2, 3, 6, 7, 8 -> rates[in.field()] = in.number();
                case 4, 5, 9, 10 -> sizes[in.field()] = in.int64();
                default -> in.skip();
            }
        }
        return new ControlGroup(
                rates[1], rates[2], rates[3], sizes[4], sizes[5], rates[6], rates[7], rates[8],
                sizes[9], sizes[10]);
    }

    static void writePorts(Ports it, FieldWriter out) throws IOException {
        out.int64(1, it.used());
        out.int64(2, it.range());
        Endpoint remote = it.remote();
        if (remote != null) {
            out.endpoint(3, remote);
        }
    }

    static Ports readPorts(FieldReader in) throws MalformedBatchException {
        long used = 0;
        long range = 0;
        Endpoint remote = null;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> used = in.int64();
                case 2 -> range = in.int64();
                case 3 -> remote = in.endpoint();
                default -> in.skip();
            }
        }
        return new Ports(used, range, remote);
    }
}
