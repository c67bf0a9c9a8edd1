package dev.komainu.central.indices;

import dev.komainu.central.indices.Formulas.Formula;
import java.util.Map;

/** The formulas of a host's parts: what is broken, full or at its limit. */
final class PartFormulas {

    private PartFormulas() {}

    static void addTo(Map<String, Formula> all) {
        add(all, "hostVolumeUsedShare", HostColumn.VOLUME_USED);
        add(all, "hostVolumeInodesUsedShare", HostColumn.VOLUME_INODES_USED);
        add(all, "hostVolumesReadOnly", HostColumn.VOLUMES_READ_ONLY);
        add(all, "hostVolumeErrors", HostColumn.VOLUME_ERRORS);
        add(all, "hostLinksDown", HostColumn.LINKS_DOWN);
        add(all, "hostLinksSlower", HostColumn.LINKS_SLOWER);
        add(all, "hostCardErrorsPerSecond", HostColumn.CARD_ERRORS);
        add(all, "hostArraysDegraded", HostColumn.ARRAYS_DEGRADED);
        add(all, "hostDisksFailing", HostColumn.DISKS_FAILING);
        add(all, "hostDiskErrorsPerSecond", HostColumn.DISK_ERRORS);
        add(all, "hostMemoryUncorrectedErrors", HostColumn.MEMORY_UNCORRECTED);
        add(all, "hostMemoryCorrectedPerSecond", HostColumn.MEMORY_CORRECTED);
        add(all, "hostCpuThrottlesPerSecond", HostColumn.CPU_THROTTLES);
        add(all, "hostHeatShare", HostColumn.HEAT);
        add(all, "hostClockSynchronised", HostColumn.CLOCK);
        add(all, "hostBacklogDropsPerSecond", HostColumn.BACKLOG_DROPS);
        add(all, "hostBusiestSoftirqShare", HostColumn.BUSIEST_SOFTIRQ);
        add(all, "hostBusiestCpuInterruptsPerSecond", HostColumn.BUSIEST_INTERRUPTS);
        add(all, "hostBusiestCpuSoftirqsPerSecond", HostColumn.BUSIEST_SOFTIRQS);
        add(all, "hostBusiestCpuSwitchesPerSecond", HostColumn.BUSIEST_SWITCHES);
        all.put(
                "hostMemoryUsedBytes",
                (l, e, n) -> l.host(HostColumn.MEMORY_TOTAL, e, n)
                        - l.host(HostColumn.MEMORY_FREE, e, n));
    }

    private static void add(Map<String, Formula> all, String name, HostColumn column) {
        all.put(name, (l, e, n) -> l.host(column, e, n));
    }
}
