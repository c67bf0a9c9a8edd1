package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that indicates a state: a conjunction of measurements against thresholds that must hold
 * for some time.
 *
 * @param id stable name, such as {@code processes/all-busy}
 * @param state the state that it indicates
 * @param rank 0 to 100; the highest rank among rules that hold together names the first cause
 * @param cause one sentence for people
 * @param kinds server kinds it applies to; absent: all
 * @param when conditions that must all hold
 * @param enter seconds it must hold before the state is entered; absent: the rule set's
 */
public record Rule(
        String id,
        ServiceState state,
        int rank,
        LocalizedText cause,
        @Nullable List<String> kinds,
        List<Condition> when,
        @Nullable Persistence enter) {

    /**
     * N of M seconds: hysteresis against flapping.
     *
     * @param need seconds that must agree
     * @param of seconds that are checked
     */
    public record Persistence(int need, int of) {

        void check(String where, List<String> mistakes) {
            if (of < 1 || of > 60 || need < 1 || need > of) {
                mistakes.add(where + ": " + need + " of " + of
                        + " (expected: N of M seconds, M from 1 to 60)");
            }
        }
    }

    /** Returns the same rule with other conditions. */
    public Rule with(List<Condition> conditions) {
        return new Rule(id, state, rank, cause, kinds, conditions, enter);
    }

    public boolean appliesTo(String kind) {
        return kinds == null || kinds.contains(kind);
    }

    /**
     * Reports whether every condition holds at this second. A rule whose measurements are all
     * missing does not hold: conditions that pass on unknown values only support other conditions.
     */
    boolean holds(MeasurementView view, long second) {
        for (Condition condition : when) {
            if (!condition.holds(view, second)) {
                return false;
            }
        }
        return true;
    }
}
