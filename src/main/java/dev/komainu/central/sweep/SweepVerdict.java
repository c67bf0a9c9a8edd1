package dev.komainu.central.sweep;

import dev.komainu.central.state.ServiceState;
import dev.komainu.central.sweep.ExpectedStates.Fault;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on the states of one service of a recording.
 *
 * @param faults one for each fault, in order
 * @param alarms changes to a state of trouble while the service was normal
 * @param hours time in which the service was normal
 */
record SweepVerdict(List<OnFault> faults, int alarms, double hours) {

    /** Seconds after a cure in which trouble may still be named. */
    static final double DRAINED = 75;

    /**
     * The verdict on one fault.
     *
     * @param right whether the first state of trouble after the onset is an expected one; of a
     *     trap, whether there was none
     * @param delay seconds from the onset to the first expected state; {@code NaN} when it never
     *     came, and for a trap
     */
    record OnFault(boolean right, double delay) {}

    /**
     * Judges.
     *
     * @param faults null: all traffic is normal
     */
    static SweepVerdict of(
            ServiceState[] states, ServiceColumns columns, @Nullable List<Fault> faults) {
        List<Fault> all = faults == null ? List.of() : faults;
        List<OnFault> onFaults = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            double next = i + 1 < all.size() ? all.get(i + 1).onset() : Double.MAX_VALUE;
            onFaults.add(on(all.get(i), next, states, columns));
        }
        int alarms = 0;
        int normal = 0;
        boolean begun = false;
        for (int tick = 0; tick < states.length; tick++) {
            begun |= states[tick] == ServiceState.NORMAL;
            if (begun && !isTroubled(columns.atMicros(tick) / 1e6, all)) {
                normal++;
                boolean entered = tick > 0 && states[tick] != states[tick - 1];
                alarms += entered && isAlarm(states[tick]) ? 1 : 0;
            }
        }
        return new SweepVerdict(onFaults, alarms, normal / 3_600.0);
    }

    /** Reports whether trouble may be named at a time, or nothing is known of it. */
    private static boolean isTroubled(double at, List<Fault> faults) {
        boolean alive = faults.isEmpty();
        for (Fault fault : faults) {
            alive |= fault.isAlive(at);
            if (!fault.isTrap() && at >= fault.onset() && at <= fault.over() + DRAINED) {
                return true;
            }
        }
        return !alive;
    }

    private static OnFault on(
            Fault fault, double next, ServiceState[] states, ServiceColumns columns) {
        double end = Math.min(next, fault.over() + DRAINED);
        ServiceState first = null;
        double delay = Double.NaN;
        ServiceState before = ServiceState.UNKNOWN;
        for (int tick = 0; tick < states.length; tick++) {
            double at = columns.atMicros(tick) / 1e6;
            if (at > fault.onset() && at < end && fault.isAlive(at) && states[tick] != before) {
                if (first == null && isAlarm(states[tick])) {
                    first = states[tick];
                }
                if (Double.isNaN(delay) && !fault.isTrap() && fault.accepts(states[tick])) {
                    delay = at - fault.onset();
                }
            }
            before = states[tick];
        }
        return new OnFault(
                fault.isTrap() ? first == null : first != null && fault.accepts(first), delay);
    }

    private static boolean isAlarm(ServiceState state) {
        return state != ServiceState.NORMAL && state != ServiceState.UNKNOWN;
    }
}
