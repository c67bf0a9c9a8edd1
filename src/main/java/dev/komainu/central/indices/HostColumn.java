package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.HostSample.Pressure;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What is kept of a node's samples. */
enum HostColumn {
    CPU_USER(s -> cpu(s, CpuShare::user)),
    CPU_KERNEL(s -> cpu(s, CpuShare::kernel)),
    CPU_IOWAIT(s -> cpu(s, CpuShare::iowait)),
    CPU_STEAL(s -> cpu(s, CpuShare::steal)),
    CPU_IDLE(s -> cpu(s, CpuShare::idle)),
    CPU_COUNT(s -> s.cpus().size()),
    MEMORY_AVAILABLE(s -> s.memory().available()),
    MEMORY_TOTAL(s -> s.memory().total()),
    PROCESSES(s -> s.processes()),
    CONTEXT_SWITCHES(s -> s.kernel().contextSwitches()),
    MAJOR_FAULTS(s -> s.kernel().majorFaults()),
    SWAP_PAGES(s -> s.kernel().swapInPages() + s.kernel().swapOutPages()),
    PRESSURE_CPU(s -> pressure(s.pressure(), Pressure::cpu)),
    PRESSURE_MEMORY(s -> pressure(s.pressure(), Pressure::memory)),
    PRESSURE_IO(s -> pressure(s.pressure(), Pressure::io)),
    DISK_BUSY(s -> s.disks().stream()
            .mapToDouble(HostSample.DiskRates::busyShare)
            .max()
            .orElse(Double.NaN)),
    TIME_WAIT(s -> s.sockets().tcpTimeWait()),
    LISTEN_OVERFLOWS(s -> s.sockets().listenOverflowsPerSecond()),
    LISTEN_DROPS(s -> s.sockets().listenDropsPerSecond()),
    INTERFACE_SHARE(HostColumn::fullestInterface);

    private final ToDoubleFunction<HostSample> value;

    HostColumn(ToDoubleFunction<HostSample> value) {
        this.value = value;
    }

    double of(HostSample sample) {
        return value.applyAsDouble(sample);
    }

    private static double cpu(HostSample sample, ToDoubleFunction<CpuShare> share) {
        return sample.cpus().stream().mapToDouble(share).average().orElse(Double.NaN);
    }

    private static double pressure(@Nullable Pressure pressure, ToDoubleFunction<Pressure> kind) {
        return pressure == null ? Double.NaN : kind.applyAsDouble(pressure);
    }

    /** The fuller direction of the fullest interface whose speed is known. */
    private static double fullestInterface(HostSample sample) {
        double fullest = Double.NaN;
        for (HostSample.InterfaceRates rates : sample.interfaces()) {
            Long speed = rates.speedBitsPerSecond();
            if (speed != null && speed > 0) {
                double bytes = Math.max(rates.receivedBytesPerSecond(), rates.sentBytesPerSecond());
                double share = bytes * 8 / speed;
                fullest = Double.isNaN(fullest) ? share : Math.max(fullest, share);
            }
        }
        return fullest;
    }
}
