package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.ControlGroupState;
import dev.komainu.telemetry.record.HostSample.ControlGroup;
import org.jspecify.annotations.Nullable;

/**
 * The difference of a control group's counters between two readings. Counters are compared only
 * when they belong to the same group: a server may be moved, or another group on its path to the
 * root may become the tightest. Pure.
 */
final class ControlGroupDifference {

    private ControlGroupDifference() {}

    static @Nullable ControlGroup between(
            @Nullable ControlGroupState before, @Nullable ControlGroupState now, double seconds) {
        if (now == null) {
            return null;
        }
        ControlGroupState.Cpu cpu = now.cpu();
        ControlGroupState.Memory memory = now.memory();
        Cpu throttling = cpu == null
                ? Cpu.UNKNOWN
                : Cpu.of(before == null ? null : before.cpu(), cpu, seconds);
        Memory pressure = memory == null
                ? Memory.UNKNOWN
                : Memory.of(before == null ? null : before.memory(), memory, seconds);
        return new ControlGroup(
                cpu == null ? null : cpu.quotaCores(),
                throttling.share(),
                throttling.perSecond(),
                memory == null ? null : memory.limit(),
                memory == null ? null : memory.used(),
                pressure.hits(),
                pressure.refaults(),
                pressure.kills(),
                now.readLimit(),
                now.writeLimit());
    }

    private record Cpu(@Nullable Double share, @Nullable Double perSecond) {

        static final Cpu UNKNOWN = new Cpu(null, null);

        static Cpu of(
                ControlGroupState.@Nullable Cpu before, ControlGroupState.Cpu now, double seconds) {
            if (before == null || !before.group().equals(now.group())) {
                return UNKNOWN;
            }
            long periods = Rates.growth(before.periods(), now.periods());
            long throttled = Rates.growth(before.throttled(), now.throttled());
            return new Cpu(
                    // Without a period, no thread of the group ran, so none was throttled.
                    periods == 0 ? 0 : Math.min(1, (double) throttled / periods),
                    Rates.perSecond(before.throttledNanos(), now.throttledNanos(), seconds) / 1e9);
        }
    }

    private record Memory(
            @Nullable Double hits,
            @Nullable Double refaults,
            @Nullable Double kills) {

        static final Memory UNKNOWN = new Memory(null, null, null);

        static Memory of(
                ControlGroupState.@Nullable Memory before,
                ControlGroupState.Memory now,
                double seconds) {
            if (before == null || !before.group().equals(now.group())) {
                return UNKNOWN;
            }
            return new Memory(
                    Rates.perSecond(before.hits(), now.hits(), seconds),
                    rate(before.refaults(), now.refaults(), seconds),
                    rate(before.kills(), now.kills(), seconds));
        }

        private static @Nullable Double rate(
                @Nullable Long before, @Nullable Long now, double seconds) {
            return before == null || now == null
                    ? null
                    : Double.valueOf(Rates.perSecond(before, now, seconds));
        }
    }
}
