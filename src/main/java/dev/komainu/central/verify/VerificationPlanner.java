package dev.komainu.central.verify;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the seconds that a run compares, by the records of its change and of others. Any
 * thread.
 */
final class VerificationPlanner {

    /**
     * Uncertainty of a recorded change: it is recorded after it was made, and agents read files
     * every ten seconds.
     */
    private static final Duration RECORDED_BLUR = Duration.ofSeconds(12);

    /** Uncertainty of a change by an order: it is known to the second; that second is excluded. */
    private static final Duration APPLIED_BLUR = Duration.ofSeconds(2);

    /**
     * Longest time between a change and an agent's observation of it; a later observation is
     * another change.
     */
    private static final Duration SAME_CHANGE = Duration.ofMinutes(10);

    /** The beginnings of the names of values that the kernel reports of a process. */
    private static final List<String> OF_PROCESS = List.of("limit:", "socket:");

    private final VerifySettings settings;
    private final Changes changes;
    private final StateHistory history;

    VerificationPlanner(VerifySettings settings, Changes changes, StateHistory history) {
        this.settings = settings;
        this.changes = changes;
        this.history = history;
    }

    VerificationPlan plan(Change change, Verifier.Lengths lengths) {
        return VerificationPlan.of(
                timeOf(change),
                change.orderId() == null ? RECORDED_BLUR : APPLIED_BLUR,
                otherwise(lengths.baseline(), settings.baseline()),
                settleFrom(change).plus(otherwise(lengths.settle(), settings.settle())),
                otherwise(lengths.after(), settings.after()));
    }

    /**
     * Returns the state at the time of the change. The change itself can have altered the state
     * since, for example by a restart, which must not count as a fault that the change ended.
     *
     * @param now present state, returned when the state has not changed since
     */
    ServiceState stateBefore(String service, VerificationPlan plan, ServiceState now) {
        List<Transition> since = history.between(service, plan.changed(), Long.MAX_VALUE);
        return since.isEmpty() ? now : since.getFirst().from();
    }

    private static Duration otherwise(@Nullable Duration requested, Duration configured) {
        return requested == null ? configured : requested;
    }

    /**
     * Returns the time for carrying out the change, such as a restart. It belongs to neither side.
     */
    private static Duration settleFrom(Change change) {
        Instant begun = change.begun();
        return begun == null || begun.isAfter(change.at())
                ? Duration.ZERO
                : Duration.between(begun, change.at());
    }

    /**
     * Reports whether a recorded and an observed value belong to the same change. Minutes before,
     * the setting can have been changed to another value, for example to the one that caused the
     * fault.
     */
    private static boolean isTheSame(@Nullable String recorded, @Nullable String observed) {
        return recorded == null || recorded.equals(observed);
    }

    /** Returns the time of a change: as an agent observed it, else as its author recorded it. */
    private Instant timeOf(Change change) {
        Instant recorded = change.at();
        Instant begun = change.begun();
        if (begun != null
                && begun.isBefore(recorded)
                && begun.isAfter(recorded.minus(SAME_CHANGE))) {
            return begun;
        }
        String setting = change.wish().setting();
        if (setting == null || change.orderId() != null) {
            return recorded;
        }
        return changes
                .between(change.wish().service(), recorded.minus(SAME_CHANGE), recorded)
                .stream()
                .filter(observed -> observed.by().equals(Change.AGENT)
                        && setting.equals(observed.wish().setting())
                        && isTheSame(change.wish().after(), observed.wish().after()))
                .map(Change::at)
                .min(Comparator.naturalOrder())
                .orElse(recorded);
    }

    /**
     * Reports whether another setting was changed after the server had settled. An agent's
     * observation of this same change does not count, nor does that of a value of the process: it
     * follows from the server's own settings, such as the limit of open files from
     * worker_rlimit_nofile.
     */
    boolean isDisturbed(Verification run) {
        VerificationPlan plan = run.plan();
        String setting = changes.find(run.changeId())
                .map(change -> change.wish().setting())
                .orElse(null);
        return changes
                .between(
                        run.service(),
                        Instant.ofEpochSecond(plan.afterFrom()),
                        Instant.ofEpochSecond(plan.afterTo()))
                .stream()
                .anyMatch(other -> other.id() != run.changeId()
                        && other.wish().setting() != null
                        && !other.wish().setting().equals(setting)
                        && !isOfProcess(other));
    }

    private static boolean isOfProcess(Change change) {
        String setting = String.valueOf(change.wish().setting());
        return change.by().equals(Change.AGENT)
                && OF_PROCESS.stream().anyMatch(setting::startsWith);
    }
}
