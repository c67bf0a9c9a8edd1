package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * What binds a control group, as it stands now, and counters since the group was made.
 *
 * @param cpu absent where no group on the way to the top has a quota
 * @param memory absent where none has a limit
 * @param readLimit bytes per second that may be read from the tightest limited disk; absent where
 *     none is limited
 * @param writeLimit the same of writing
 */
public record ControlGroupState(
        @Nullable Cpu cpu,
        @Nullable Memory memory,
        @Nullable Long readLimit,
        @Nullable Long writeLimit) {

    /**
     * @param group the directory of the tightest quota: counters of another group are not compared
     *     with these
     * @param quotaCores CPU time per second
     * @param periods in which the quota was watched
     * @param throttled of those, in which the group was stopped
     * @param throttledNanos how long, over all CPUs
     */
    public record Cpu(
            String group, double quotaCores, long periods, long throttled, long throttledNanos) {}

    /**
     * @param group the directory of the limit that is nearest
     * @param limit bytes
     * @param used bytes, without file pages not used lately, which are given up for the asking
     * @param hits how often the limit was met
     * @param refaults file pages read again that were given up shortly before; absent where not
     *     counted
     * @param kills processes killed for want of memory; absent where not counted
     */
    public record Memory(
            String group,
            long limit,
            long used,
            long hits,
            @Nullable Long refaults,
            @Nullable Long kills) {}
}
