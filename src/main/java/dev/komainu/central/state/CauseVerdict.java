package dev.komainu.central.state;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.MeasurementView;
import org.jspecify.annotations.Nullable;

/**
 * The result of the measurements of one cause above a symptom.
 *
 * @param cause the cause above
 * @param state state that its rules name
 * @param standing result of its measurements
 * @param condition condition that decided; absent when nothing was measured
 */
record CauseVerdict(
        Cause cause,
        ServiceState state,
        Standing standing,
        @Nullable Condition condition) {

    /** The result of the measurements of a cause. */
    enum Standing {
        /** Measured since the onset, and excluded. */
        RULED_OUT,
        /** Its conditions begin to hold, or the values do not exclude it. */
        SUSPECTED,
        /** A collector reports, but no measurement since the onset arrived. */
        PENDING,
        /** No collector reports its measurements. */
        UNSEEN
    }

    /** Reports whether a symptom of this cause need not wait for it. */
    boolean isSettled() {
        return standing == Standing.RULED_OUT || standing == Standing.UNSEEN;
    }

    /** Returns the evidence for people. */
    Evidence evidence(MeasurementView view) {
        Condition decided = condition;
        if (decided == null) {
            String measure = cause.ruledOut().getFirst().getFirst().measure();
            return Evidence.unobserved(
                    cause.title(),
                    state.label(),
                    measure,
                    cause.unseen(),
                    cause.command(),
                    view.source(measure));
        }
        return standing == Standing.RULED_OUT
                ? Evidence.ruledOut(cause.title(), state.label(), decided, view)
                : Evidence.notRuledOut(cause.title(), state.label(), decided, view);
    }
}
