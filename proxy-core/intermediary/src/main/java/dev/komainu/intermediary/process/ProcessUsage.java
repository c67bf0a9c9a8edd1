package dev.komainu.intermediary.process;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resources that this process uses. */
public final class ProcessUsage {

    private ProcessUsage() {}

    /** Returns the processor time of this process; 0 where the JVM does not report it. */
    public static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /** Returns the resident memory; 0 where /proc is absent. */
    public static long residentBytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException | NumberFormatException absent) {
            // reported as 0
        }
        return 0;
    }
}
