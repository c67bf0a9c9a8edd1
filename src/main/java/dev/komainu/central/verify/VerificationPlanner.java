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
 * Says which seconds a run compares, by what is recorded of its change and of others. Any thread.
 */
final class VerificationPlanner {

    /** Who records a change does so after making it, and agents look at files every ten seconds. */
    private static final Duration RECORDED_BLUR = Duration.ofSeconds(12);

    /**
     * A change that an order of ours made is known to the second; its second itself is left out.
     */
    private static final Duration APPLIED_BLUR = Duration.ofSeconds(2);

    /** What an agent saw of the same change is younger than this, or another change. */
    private static final Duration SAME_CHANGE = Duration.ofMinutes(10);

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
                made(change),
                change.orderId() == null ? RECORDED_BLUR : APPLIED_BLUR,
                otherwise(lengths.baseline(), settings.baseline()),
                settleFrom(change).plus(otherwise(lengths.settle(), settings.settle())),
                otherwise(lengths.after(), settings.after()));
    }

    /**
     * The state when the change was made: carrying it out may have left it since, by a restart for
     * one, which must not count as trouble that the change ended.
     *
     * @param now the state now, which it is when nothing was left since
     */
    ServiceState stateBefore(String service, VerificationPlan plan, ServiceState now) {
        List<Transition> since = history.between(service, plan.changed(), Long.MAX_VALUE);
        return since.isEmpty() ? now : since.getFirst().from();
    }

    private static Duration otherwise(@Nullable Duration asked, Duration usual) {
        return asked == null ? usual : asked;
    }

    /** What carrying it out took, such as a restart, belongs to neither side. */
    private static Duration settleFrom(Change change) {
        Instant begun = change.begun();
        return begun == null || begun.isAfter(change.at())
                ? Duration.ZERO
                : Duration.between(begun, change.at());
    }

    /**
     * Minutes before, the setting may have been changed to something else: to what made the
     * trouble, for one.
     */
    private static boolean isTheSame(@Nullable String told, @Nullable String seen) {
        return told == null || told.equals(seen);
    }

    /** Returns the time of a change: as an agent observed it, else as its author recorded it. */
    private Instant made(Change change) {
        Instant told = change.at();
        Instant begun = change.begun();
        if (begun != null && begun.isBefore(told) && begun.isAfter(told.minus(SAME_CHANGE))) {
            return begun;
        }
        String setting = change.wish().setting();
        if (setting == null || change.orderId() != null) {
            return told;
        }
        return changes.between(change.wish().service(), told.minus(SAME_CHANGE), told).stream()
                .filter(seen -> seen.by().equals(Change.AGENT)
                        && setting.equals(seen.wish().setting())
                        && isTheSame(change.wish().after(), seen.wish().after()))
                .map(Change::at)
                .min(Comparator.naturalOrder())
                .orElse(told);
    }

    /**
     * Whether another setting was changed after the server had settled. What an agent saw of this
     * very change does not count.
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
                        && !other.wish().setting().equals(setting));
    }
}
