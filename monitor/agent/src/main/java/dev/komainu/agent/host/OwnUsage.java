package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.CpuTime;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.function.LongSupplier;

/** What this process itself costs: memory now, CPU since the last look. One thread at a time. */
public final class OwnUsage {

    private final ProcFiles proc = ProcFiles.ofThisHost();
    private final boolean linux = proc.exists();
    private final LongSupplier cpu = linux ? new CpuTime()::processNanos : OwnUsage::cpuBySystem;
    private long atNanos = System.nanoTime();
    private long cpuNanos = cpu.getAsLong();

    /**
     * @param residentBytes RSS; 0 where the system does not tell
     * @param cpuCores CPU time per second of wall time since the look before
     */
    public record Usage(long residentBytes, double cpuCores) {}

    public Usage look() {
        long now = System.nanoTime();
        long used = cpu.getAsLong();
        double cores = now > atNanos ? (double) Math.max(0, used - cpuNanos) / (now - atNanos) : 0;
        atNanos = now;
        cpuNanos = used;
        ProcessStat stat = linux ? ProcessStat.parse(proc.read("self/stat")) : null;
        return new Usage(stat == null ? 0 : stat.residentPages() * CpuTime.pageBytes(), cores);
    }

    /**
     * CPU time of the thread that asks, in nanoseconds; stands still where the system does not
     * tell.
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
