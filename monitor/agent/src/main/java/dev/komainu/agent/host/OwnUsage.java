package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.ProcessStat;
import java.time.Duration;

/** What this process itself costs: memory now, CPU since the last look. One thread at a time. */
public final class OwnUsage {

    private static final long PAGE = 4_096;

    private final ProcFiles proc = ProcFiles.ofThisHost();
    private long atNanos = System.nanoTime();
    private long cpuNanos = cpu();

    /**
     * @param residentBytes RSS; 0 where the system does not tell
     * @param cpuCores CPU time per second of wall time since the look before
     */
    public record Usage(long residentBytes, double cpuCores) {}

    public Usage look() {
        long now = System.nanoTime();
        long cpu = cpu();
        double cores = now > atNanos ? (double) Math.max(0, cpu - cpuNanos) / (now - atNanos) : 0;
        atNanos = now;
        cpuNanos = cpu;
        ProcessStat stat = ProcessStat.parse(proc.read("self/stat"));
        return new Usage(stat == null ? 0 : stat.residentPages() * PAGE, cores);
    }

    private static long cpu() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
