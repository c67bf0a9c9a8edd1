package dev.komainu.central.state;

import dev.komainu.central.indices.MeasurementView;

/** The counts of the last seconds in which a rule held or failed. Pure. */
final class RuleTrend {

    private RuleTrend() {}

    /**
     * Reports whether the rule held ({@code expected}), or did not hold, in at least N of the last
     * M seconds, all after one second.
     */
    static boolean agrees(
            Rule rule,
            MeasurementView view,
            Rule.Persistence persistence,
            long after,
            boolean expected) {
        int agreed = 0;
        for (int back = 0; back < persistence.of(); back++) {
            long second = view.second() - back;
            if (second > after && rule.holds(view, second) == expected) {
                agreed++;
            } else if (back + 1 - agreed > persistence.of() - persistence.need()) {
                return false;
            }
        }
        return agreed >= persistence.need();
    }

    /**
     * Returns the first of the last M seconds, all after one second, in which the rule held; the
     * view's second when it held in none.
     */
    static long began(Rule rule, MeasurementView view, Rule.Persistence persistence, long after) {
        for (int back = persistence.of() - 1; back > 0; back--) {
            long second = view.second() - back;
            if (second > after && rule.holds(view, second)) {
                return second;
            }
        }
        return view.second();
    }

    /** Reports whether visitors were served as before in N of the last M seconds. */
    static boolean served(CausalOrder.Recovery recovery, MeasurementView view, long after) {
        int served = 0;
        for (int back = 0; back < recovery.servedFor().of(); back++) {
            long second = view.second() - back;
            served += second > after && recovery.isServed(view, second) ? 1 : 0;
        }
        return served >= recovery.servedFor().need();
    }
}
