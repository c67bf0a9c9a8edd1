package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One mark of a state: a conjunction of measurements against thresholds, held for long enough.
 *
 * @param id stable name, such as {@code processes/all-busy}
 * @param state what it speaks for
 * @param rank among rules that hold at once the highest names the first cause, 0 to 100
 * @param cause one sentence for people
 * @param kinds server kinds it applies to; absent: all
 * @param when every one must hold
 * @param enter seconds it must hold before the state is entered; absent: the book's
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
     * N of M: hysteresis against flapping.
     *
     * @param need seconds that must agree
     * @param of seconds looked at
     */
    public record Persistence(int need, int of) {

        void check(String where, List<String> mistakes) {
            if (of < 1 || of > 60 || need < 1 || need > of) {
                mistakes.add(where + ": " + need + " of " + of
                        + " (expected: N of M seconds, M from 1 to 60)");
            }
        }
    }

    /** The same rule with other conditions. */
    Rule with(List<Condition> others) {
        return new Rule(id, state, rank, cause, kinds, others, enter);
    }

    public boolean appliesTo(String kind) {
        return kinds == null || kinds.contains(kind);
    }

    /**
     * Whether every condition holds at this second. One whose measurements are all missing says
     * nothing: conditions that let the unknown pass only ever support others.
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
