package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.CpuShare;
import dev.komainu.telemetry.record.HostSample.FileHandles;
import dev.komainu.telemetry.record.HostSample.Pressure;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The columns of a node's samples. */
enum HostColumn {
    CPU_USER(s -> cpu(s, CpuShare::user)),
    CPU_KERNEL(s -> cpu(s, CpuShare::kernel)),
    CPU_IOWAIT(s -> cpu(s, CpuShare::iowait)),
    CPU_STEAL(s -> cpu(s, CpuShare::steal)),
    CPU_IDLE(s -> cpu(s, CpuShare::idle)),
    CPU_COUNT(s -> s.resources().cpus().size()),
    MEMORY_AVAILABLE(s -> s.resources().memory().available()),
    MEMORY_TOTAL(s -> s.resources().memory().total()),
    PROCESSES(s -> s.totals().processes()),
    CONTEXT_SWITCHES(s -> s.kernel().contextSwitches()),
    MAJOR_FAULTS(s -> s.kernel().majorFaults()),
    SWAP_PAGES(s -> s.kernel().swapInPages() + s.kernel().swapOutPages()),
    PRESSURE_CPU(s -> pressure(s.pressure(), Pressure::cpu)),
    PRESSURE_MEMORY(s -> pressure(s.pressure(), Pressure::memory)),
    PRESSURE_IO(s -> pressure(s.pressure(), Pressure::io)),
    DISK_BUSY(s -> s.resources().disks().stream()
            .mapToDouble(HostSample.DiskRates::busyShare)
            .max()
            .orElse(Double.NaN)),
    TIME_WAIT(s -> s.network().sockets().tcpTimeWait()),
    LISTEN_OVERFLOWS(s -> s.network().sockets().rates().listenOverflowsPerSecond()),
    LISTEN_DROPS(s -> s.network().sockets().rates().listenDropsPerSecond()),
    INTERFACE_SHARE(HostColumn::fullestInterface),
    LOAD1(s -> s.totals().load1()),
    LOAD5(s -> s.totals().load5()),
    MEMORY_FREE(s -> s.resources().memory().free()),
    MEMORY_CACHED(s -> s.resources().memory().cached()),
    SWAP_USED(s -> s.resources().memory().swapTotal() - s.resources().memory().swapFree()),
    HOST_THREADS(s -> s.totals().threads()),
    MINOR_FAULTS(s -> s.kernel().minorFaults()),
    INTERRUPTS(s -> s.kernel().interrupts()),
    SYSTEM_CALLS(s -> orNaN(s.kernel().systemCalls())),
    READ_WRITE_CALLS(s -> orNaN(s.kernel().readWriteCalls())),
    PRESSURE_MEMORY_FULL(s -> pressure(s.pressure(), p -> orNaN(p.memoryFull()))),
    PRESSURE_IO_FULL(s -> pressure(s.pressure(), p -> orNaN(p.ioFull()))),
    DISK_WAIT(s -> s.resources().disks().stream()
            .mapToDouble(HostSample.DiskRates::waitMillis)
            .max()
            .orElse(Double.NaN)),
    DISK_QUEUE(s -> s.resources().disks().stream()
            .mapToDouble(HostSample.DiskRates::queueLength)
            .max()
            .orElse(Double.NaN)),
    SOCKETS(s -> s.network().sockets().tcpInUse()),
    ORPHANS(s -> s.network().sockets().tcpOrphan()),
    TCP_MEMORY(s -> s.network().sockets().tcpMemoryBytes()),
    TCP_MEMORY_LIMIT(s -> orNaN(s.network().sockets().tcpMemoryLimitBytes())),
    SYN_COOKIES(s -> s.network().sockets().rates().synCookiesPerSecond()),
    SEGMENT_REPEATS(s -> s.network().sockets().rates().retransmittedPerSecond()),
    SENT_SEGMENTS(s -> s.network().sockets().rates().sentSegmentsPerSecond()),
    HOST_FILES(s -> files(s.totals().files(), FileHandles::open)),
    HOST_FILES_LIMIT(s -> files(s.totals().files(), FileHandles::limit)),
    INTERFACE_DROPS(s -> s.resources().interfaces().stream()
            .mapToDouble(HostSample.InterfaceRates::dropsPerSecond)
            .sum()),
    /**
     * The used share of the interface whose token bucket is used most; not observable when no
     * interface is shaped.
     */
    SHAPED_SHARE(HostColumn::fullestShaper),
    QUEUE_DROPS(s -> s.resources().interfaces().stream()
            .mapToDouble(rates -> rates.queue().queueDropsPerSecond())
            .sum()),
    QUEUED_BYTES(s -> s.resources().interfaces().stream()
            .mapToDouble(rates -> rates.queue().queuedBytes())
            .max()
            .orElse(Double.NaN)),
    LISTEN_QUEUE(HostColumn::fullestListener),
    VOLUME_USED(s -> PartFigures.of(s, PartFigures::volumeUsed)),
    VOLUME_INODES_USED(s -> PartFigures.of(s, PartFigures::inodesUsed)),
    VOLUMES_READ_ONLY(s -> PartFigures.of(s, PartFigures::readOnlyVolumes)),
    VOLUME_ERRORS(s -> PartFigures.of(s, PartFigures::volumeErrors)),
    LINKS_DOWN(s -> PartFigures.of(s, PartFigures::linksDown)),
    LINKS_SLOWER(s -> PartFigures.of(s, PartFigures::linksSlower)),
    CARD_ERRORS(s -> PartFigures.of(s, PartFigures::cardErrors)),
    ARRAYS_DEGRADED(s -> PartFigures.of(s, PartFigures::arraysDegraded)),
    DISKS_FAILING(s -> PartFigures.of(s, PartFigures::disksFailing)),
    DISK_ERRORS(s -> PartFigures.of(s, PartFigures::diskErrors)),
    MEMORY_UNCORRECTED(s -> PartFigures.of(s, PartFigures::uncorrectedErrors)),
    MEMORY_CORRECTED(s -> PartFigures.of(s, PartFigures::correctedErrors)),
    CPU_THROTTLES(s -> PartFigures.of(s, PartFigures::throttles)),
    HEAT(s -> PartFigures.of(s, PartFigures::heat)),
    CLOCK(s -> PartFigures.of(s, PartFigures::clock)),
    BACKLOG_DROPS(s -> PartFigures.of(s, PartFigures::backlogDrops)),
    BUSIEST_SOFTIRQ(PartFigures::busiestSoftirqShare),
    BUSIEST_INTERRUPTS(s -> PartFigures.of(s, PartFigures::busiestInterrupts)),
    BUSIEST_SOFTIRQS(s -> PartFigures.of(s, PartFigures::busiestSoftirqs)),
    BUSIEST_SWITCHES(s -> PartFigures.of(s, PartFigures::busiestSwitches)),
    /** Milliseconds between samples; agents that do not measure it report 0. */
    SAMPLING(s -> s.samplingMicros() > 0 ? s.samplingMicros() / 1e3 : Double.NaN);

    private final ToDoubleFunction<HostSample> value;

    HostColumn(ToDoubleFunction<HostSample> value) {
        this.value = value;
    }

    double of(HostSample sample) {
        return value.applyAsDouble(sample);
    }

    private static double cpu(HostSample sample, ToDoubleFunction<CpuShare> share) {
        return sample.resources().cpus().stream().mapToDouble(share).average().orElse(Double.NaN);
    }

    private static double pressure(@Nullable Pressure pressure, ToDoubleFunction<Pressure> kind) {
        return pressure == null ? Double.NaN : kind.applyAsDouble(pressure);
    }

    private static double orNaN(@Nullable Number value) {
        return value == null ? Double.NaN : value.doubleValue();
    }

    private static double files(@Nullable FileHandles files, ToDoubleFunction<FileHandles> which) {
        return files == null ? Double.NaN : which.applyAsDouble(files);
    }

    private static double fullestListener(HostSample sample) {
        return sample.network().listeners().stream()
                .filter(listener -> listener.limit() > 0)
                .mapToDouble(listener -> (double) listener.queue() / listener.limit())
                .max()
                .orElse(Double.NaN);
    }

    private static double fullestShaper(HostSample sample) {
        double fullest = Double.NaN;
        for (HostSample.InterfaceRates rates : sample.resources().interfaces()) {
            Long shaped = rates.queue().shapedBitsPerSecond();
            if (shaped != null && shaped > 0) {
                double share = rates.sentBytesPerSecond() * 8 / shaped;
                fullest = Double.isNaN(fullest) ? share : Math.max(fullest, share);
            }
        }
        return fullest;
    }

    /** Returns the busier direction of the busiest interface with a known speed. */
    private static double fullestInterface(HostSample sample) {
        double fullest = Double.NaN;
        for (HostSample.InterfaceRates rates : sample.resources().interfaces()) {
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
