package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.CpuTime;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The resource use of this process: memory now, CPU since the last measurement. One thread at a
 * time.
 */
public final class OwnUsage {

    private final ProcFiles proc = ProcFiles.ofThisHost();
    private final boolean linux = proc.exists();
    private final LongSupplier cpu = linux ? new CpuTime()::processNanos : OwnUsage::cpuBySystem;
    private long atNanos = System.nanoTime();
    private long cpuNanos = cpu.getAsLong();

    /**
     * One measurement.
     *
     * @param residentBytes RSS; 0 when the system does not report it
     * @param cpuCores CPU time per second of wall time since the last measurement
     */
    public record Usage(long residentBytes, double cpuCores) {}

    /** Returns the use since the last measurement, or since creation. */
    public Usage measure() {
        long now = System.nanoTime();
        long used = cpu.getAsLong();
        double cores = now > atNanos ? (double) Math.max(0, used - cpuNanos) / (now - atNanos) : 0;
        atNanos = now;
        cpuNanos = used;
        ProcessStat stat = linux ? ProcessStat.parse(proc.read("self/stat")) : null;
        return new Usage(stat == null ? 0 : stat.residentPages() * CpuTime.pageBytes(), cores);
    }

    /**
     * Returns a clock of the calling thread's CPU time in nanoseconds; it returns a constant when
     * the system does not report the time.
     */
    static LongSupplier threadClock() {
        if (ProcFiles.ofThisHost().exists()) {
            return new CpuTime()::threadNanos;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.isCurrentThreadCpuTimeSupported()
                ? threads::getCurrentThreadCpuTime
                : () -> 0;
    }

    private static long cpuBySystem() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
