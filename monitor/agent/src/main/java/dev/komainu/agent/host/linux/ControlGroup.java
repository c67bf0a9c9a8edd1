package dev.komainu.agent.host.linux;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One control group and its parents, whose limits apply too (cgroups(7)). Of all groups on the path
 * to the root, the tightest CPU quota is reported, and the memory limit that is nearest to being
 * reached.
 *
 * <pre>
 *              version 2                                version 1
 *  CPU         cpu.max, cpu.stat                        cpu.cfs_quota_us, cpu.cfs_period_us, cpu.stat
 *  memory      memory.max, .current, .events, .stat     memory.limit_in_bytes, .usage_in_bytes, .failcnt, .oom_control, .stat
 *  disks       io.max                                   blkio.throttle.read_bps_device, write_bps_device
 *  freezer     cgroup.events                            freezer.state
 * </pre>
 *
 * Missing files add no values. One thread at a time.
 */
final class ControlGroup implements AutoCloseable {

    /** The limit that version 1 reports for "no limit": its highest page-aligned number. */
    private static final long NO_LIMIT_V1 = 1L << 62;

    /** The whole text of version 1's freezer.state. */
    private static final byte[] FROZEN = NamedCounters.bytes("FROZEN");

    private static final byte[] READ = NamedCounters.bytes("rbps=");
    private static final byte[] WRITE = NamedCounters.bytes("wbps=");

    private final List<CpuLevel> cpu = new ArrayList<>();
    private final List<MemoryLevel> memory = new ArrayList<>();
    private final List<KernelFile> diskLimits = new ArrayList<>();
    private final List<KernelFile> readLimits = new ArrayList<>();
    private final List<KernelFile> writeLimits = new ArrayList<>();
    private final NamedCounters cpuValues =
            new NamedCounters("nr_periods", "nr_throttled", "throttled_time", "throttled_usec");
    private final NamedCounters memoryValues = new NamedCounters(
            "total_inactive_file",
            "inactive_file",
            "total_workingset_refault_file",
            "workingset_refault_file",
            "workingset_refault");
    private final NamedCounters events = new NamedCounters("max", "oom_kill");
    private final List<KernelFile> freezers = new ArrayList<>();
    private final NamedCounters frozen = new NamedCounters("frozen");

    /** The CPU files of one level; {@code period} only in version 1. */
    private record CpuLevel(
            String group, KernelFile quota, @Nullable KernelFile period, KernelFile stat) {}

    /**
     * The memory files of one level.
     *
     * @param hits only in version 1: times the limit was reached; version 2 has this number in
     *     {@code events}
     */
    private record MemoryLevel(
            String group,
            KernelFile limit,
            KernelFile used,
            @Nullable KernelFile hits,
            KernelFile events,
            KernelFile stat) {}

    ControlGroup(KernelReader reader, List<ControlGroupMounts.Place> places) {
        for (ControlGroupMounts.Place place : places) {
            for (Path level : place.levels()) {
                if (place.has("cpu")) {
                    cpu.add(cpu(reader, level, place.unified()));
                }
                if (place.has("memory")) {
                    memory.add(memory(reader, level, place.unified()));
                }
                if (place.unified()) {
                    diskLimits.add(file(reader, level, "io.max"));
                    if (level.equals(place.levels().getFirst())) {
                        freezers.add(file(reader, level, "cgroup.events"));
                    }
                } else if (place.has("blkio")) {
                    readLimits.add(file(reader, level, "blkio.throttle.read_bps_device"));
                    writeLimits.add(file(reader, level, "blkio.throttle.write_bps_device"));
                }
                if (!place.unified() && place.has("freezer")) {
                    freezers.add(file(reader, level, "freezer.state"));
                }
            }
        }
    }

    private static CpuLevel cpu(KernelReader reader, Path level, boolean unified) {
        return new CpuLevel(
                level.toString(),
                file(reader, level, unified ? "cpu.max" : "cpu.cfs_quota_us"),
                unified ? null : file(reader, level, "cpu.cfs_period_us"),
                file(reader, level, "cpu.stat"));
    }

    private static MemoryLevel memory(KernelReader reader, Path level, boolean unified) {
        return new MemoryLevel(
                level.toString(),
                file(reader, level, unified ? "memory.max" : "memory.limit_in_bytes"),
                file(reader, level, unified ? "memory.current" : "memory.usage_in_bytes"),
                unified ? null : file(reader, level, "memory.failcnt"),
                file(reader, level, unified ? "memory.events" : "memory.oom_control"),
                file(reader, level, "memory.stat"));
    }

    private static KernelFile file(KernelReader reader, Path level, String name) {
        return new KernelFile(reader, level.resolve(name).toString());
    }

    /** Reads the group's limits and counters; null without limits. */
    @Nullable
    ControlGroupState read() {
        ControlGroupState.Cpu tightest = tightestCpu();
        ControlGroupState.Memory nearest = nearestMemory();
        Long read = least(readLimits, null);
        Long write = least(writeLimits, null);
        read = smaller(read, least(diskLimits, READ));
        write = smaller(write, least(diskLimits, WRITE));
        return tightest == null && nearest == null && read == null && write == null
                ? null
                : new ControlGroupState(tightest, nearest, read, write);
    }

    /** Reports whether all its processes are frozen. */
    boolean isFrozen() {
        for (KernelFile file : freezers) {
            KernelFileText text = file.text();
            if (text.startsWith(0, FROZEN)) {
                return true;
            }
            if (frozen.readLines(text).has(0) && frozen.get(0) == 1) {
                return true;
            }
        }
        return false;
    }

    private ControlGroupState.@Nullable Cpu tightestCpu() {
        CpuLevel tightest = null;
        double least = Double.MAX_VALUE;
        for (CpuLevel level : cpu) {
            double cores = cores(level);
            if (cores < least) {
                tightest = level;
                least = cores;
            }
        }
        if (tightest == null) {
            return null;
        }
        cpuValues.readLines(tightest.stat().text());
        return new ControlGroupState.Cpu(
                tightest.group(),
                least,
                cpuValues.get(0),
                cpuValues.get(1),
                cpuValues.has(3) ? cpuValues.get(3) * 1_000 : cpuValues.get(2));
    }

    /** Returns {@code QUOTA PERIOD} in CPUs; {@link Double#MAX_VALUE} without a quota. */
    private static double cores(CpuLevel level) {
        KernelFileText text = level.quota().text();
        // "max" and version 1's -1 are no unsigned numbers.
        long quota = text.number(-1);
        KernelFile period = level.period();
        long length = quota <= 0
                ? -1
                : period == null ? text.number(-1) : period.text().number(-1);
        return length > 0 ? (double) quota / length : Double.MAX_VALUE;
    }

    private ControlGroupState.@Nullable Memory nearestMemory() {
        ControlGroupState.Memory nearest = null;
        for (MemoryLevel level : memory) {
            long limit = level.limit().text().number(-1);
            long used = limit <= 0 || limit >= NO_LIMIT_V1
                    ? -1
                    : level.used().text().number(-1);
            if (used >= 0) {
                ControlGroupState.Memory state = state(level, limit, used);
                if (nearest == null || share(state) > share(nearest)) {
                    nearest = state;
                }
            }
        }
        return nearest;
    }

    private ControlGroupState.Memory state(MemoryLevel level, long limit, long used) {
        memoryValues.readLines(level.stat().text());
        long inactive = memoryValues.has(0) ? memoryValues.get(0) : memoryValues.get(1);
        Long refaults = null;
        for (int i = 2; i <= 4 && refaults == null; i++) {
            refaults = memoryValues.has(i) ? memoryValues.get(i) : null;
        }
        events.readLines(level.events().text());
        Long kills = events.has(1) ? events.get(1) : null;
        KernelFile counted = level.hits();
        long hits = counted == null ? events.get(0) : Math.max(0, counted.text().number(0));
        return new ControlGroupState.Memory(
                level.group(), limit, Math.max(0, used - inactive), hits, refaults, kills);
    }

    private static double share(ControlGroupState.Memory memory) {
        return (double) memory.used() / memory.limit();
    }

    /**
     * Returns the smallest limit of any disk at any level: {@code MAJOR:MINOR LIMIT} per line in
     * version 1, {@code MAJOR:MINOR rbps=LIMIT wbps=LIMIT …} in version 2.
     *
     * @param name the text before the number; null in version 1
     */
    private static @Nullable Long least(List<KernelFile> files, byte @Nullable [] name) {
        Long least = null;
        for (KernelFile file : files) {
            KernelFileText text = file.text();
            if (text.isEmpty()) {
                continue;
            }
            do {
                text.skipWord();
                least = smaller(
                        least, name == null ? positive(text.number(-1)) : named(text, name));
            } while (text.nextLine());
        }
        return least;
    }

    private static @Nullable Long named(KernelFileText text, byte[] name) {
        while (!text.atLineEnd()) {
            if (text.accept(name)) {
                return positive(text.number(-1));
            }
            text.skipWord();
        }
        return null;
    }

    private static @Nullable Long positive(long value) {
        return value > 0 ? Long.valueOf(value) : null;
    }

    private static @Nullable Long smaller(@Nullable Long first, @Nullable Long second) {
        return first == null || (second != null && second < first) ? second : first;
    }

    @Override
    public void close() {
        cpu.forEach(level -> {
            level.quota().close();
            if (level.period() != null) {
                level.period().close();
            }
            level.stat().close();
        });
        memory.forEach(level -> {
            level.limit().close();
            level.used().close();
            if (level.hits() != null) {
                level.hits().close();
            }
            level.events().close();
            level.stat().close();
        });
        freezers.forEach(KernelFile::close);
        diskLimits.forEach(KernelFile::close);
        readLimits.forEach(KernelFile::close);
        writeLimits.forEach(KernelFile::close);
    }
}
