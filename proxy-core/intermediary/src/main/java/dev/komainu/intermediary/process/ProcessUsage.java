package dev.komainu.intermediary.process;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process uses of its host. */
public final class ProcessUsage {

    private ProcessUsage() {}

    /** Processor time of this process; 0 where the JVM does not tell. */
    public static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /** Memory resident now; 0 where /proc is absent. */
    public static long residentBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException | NumberFormatException absent) {
            // told by 0
        }
        return 0;
    }
}
