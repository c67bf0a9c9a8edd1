package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * A control group's current limits, and counters since the group was created.
 *
 * @param cpu absent when no group on the path to the root has a quota
 * @param memory absent when no group has a limit
 * @param readLimit bytes per second that may be read from the disk with the tightest limit; absent
 *     without a limit
 * @param writeLimit bytes per second that may be written to the disk with the tightest limit;
 *     absent without a limit
 */
public record ControlGroupState(
        @Nullable Cpu cpu,
        @Nullable Memory memory,
        @Nullable Long readLimit,
        @Nullable Long writeLimit) {

    /** Returns these limits, and those of another group for each kind that is not limited here. */
    public ControlGroupState orElse(ControlGroupState other) {
        return new ControlGroupState(
                cpu == null ? other.cpu : cpu,
                memory == null ? other.memory : memory,
                readLimit == null ? other.readLimit : readLimit,
                writeLimit == null ? other.writeLimit : writeLimit);
    }

    /**
     * The CPU quota.
     *
     * @param group the directory of the tightest quota; counters of different groups are not
     *     compared
     * @param quotaCores CPU time per second
     * @param periods periods in which the quota applied
     * @param throttled periods in which the group was stopped
     * @param throttledNanos time in which the group was stopped, over all CPUs
     */
    public record Cpu(
            String group, double quotaCores, long periods, long throttled, long throttledNanos) {}

    /**
     * The memory limit.
     *
     * @param group the directory of the nearest limit
     * @param limit bytes
     * @param used bytes, without inactive file pages, which the kernel reclaims on demand
     * @param hits times the limit was reached
     * @param refaults file pages read again shortly after they were reclaimed; absent when not
     *     counted
     * @param kills processes killed for lack of memory; absent when not counted
     */
    public record Memory(
            String group,
            long limit,
            long used,
            long hits,
            @Nullable Long refaults,
            @Nullable Long kills) {}
}
