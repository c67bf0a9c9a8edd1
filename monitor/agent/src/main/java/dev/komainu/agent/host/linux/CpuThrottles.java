package dev.komainu.agent.host.linux;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The count of times that heat slowed a CPU down, from {@code thermal_throttle} of each CPU (Intel
 * only). One thread at a time.
 */
public final class CpuThrottles {

    private static final String COUNT = "thermal_throttle/core_throttle_count";

    private final Path cpus;
    private final Growth growth = new Growth();

    public CpuThrottles(Path sys) {
        this.cpus = sys.resolve("devices/system/cpu");
    }

    /** Returns the events since the last reading; null when the kernel does not count them. */
    public @Nullable Long read() {
        Long events = null;
        for (Path cpu : SysFiles.entries(cpus)) {
            String name = cpu.getFileName().toString();
            Long count = name.matches("cpu\\d+") ? SysFiles.number(cpu.resolve(COUNT)) : null;
            if (count != null) {
                events = (events == null ? 0 : events) + growth.of(name, count);
            }
        }
        growth.end();
        return events;
    }
}
