package dev.komainu.central.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of one rule for one subject: QUIET → COUNTING (some of the last assessments held)
 * → FIRING → QUIET. It depends only on the verdict, the silence and the time. Guarded by
 * {@link AlertBoard}'s lock.
 *
 * <p>Notices are due when the alert fires; at once when it becomes more severe; on other changes
 * not sooner than {@link #CALM} after the last notice; again after the rule's hours; and at the
 * end, if the firing was notified. A silence suppresses all of these except the end of an alert
 * that was notified before: a receiver that was called must also learn that it is over. No first
 * notice is sent for a condition that no longer holds, although its end is still awaited. Without a
 * receiver nothing counts as notified: a receiver that is added later gets the alerts that fire.
 */
final class AlertEvaluator {

    /** Least time between two notices of one alert, unless it gets graver or ends. */
    static final Duration CALM = Duration.ofSeconds(60);

    /** How long a subject must be missing before its alert ends as gone. */
    static final Duration GONE = Duration.ofSeconds(60);

    private final Deque<Boolean> window = new ArrayDeque<>();
    private int held;
    private @Nullable Alert alert;
    /** When it last held or could not be seen. */
    private Instant lastHeld = Instant.MIN;

    /** Goes on with an alert that fired before a restart. */
    static AlertEvaluator resumed(Alert alert, Instant now) {
        AlertEvaluator watch = new AlertEvaluator();
        watch.alert = alert;
        watch.lastHeld = now;
        return watch;
    }

    @Nullable
    Alert alert() {
        return alert;
    }

    /** Nothing fires and nothing is counted: may be forgotten. */
    boolean idle() {
        return alert == null && held == 0;
    }

    /**
     * @param silencedBy silence that covers the subject now, in the alert's state where it does not
     *     hold
     * @param reachable whether anybody would be told now
     */
    @Nullable
    AlertStep step(
            String ruleId,
            AlertRule rule,
            AlertRule.Verdict verdict,
            Observation seen,
            @Nullable String silencedBy,
            boolean reachable,
            Instant now) {
        boolean holds = verdict == AlertRule.Verdict.HOLDS;
        Alert before = alert;
        noLaterThan(now);
        if (before == null) {
            count(holds, rule.ofSeconds());
            if (!holds || held < rule.needed()) {
                return null;
            }
            lastHeld = now;
            return fires(
                    Alert.fired(ruleId, rule, seen, now), null, silencedBy, reachable, rule, now);
        }
        if (holds) {
            lastHeld = now;
            return fires(before.seen(rule, seen), before, silencedBy, reachable, rule, now);
        }
        if (verdict == AlertRule.Verdict.UNSEEN) {
            lastHeld = now;
        }
        if (Duration.between(lastHeld, now).getSeconds() >= rule.clearSeconds()
                && verdict == AlertRule.Verdict.HOLDS_NOT) {
            return ends(before, Alert.RECOVERED, rule.receivers(), now);
        }
        boolean lasts = verdict == AlertRule.Verdict.UNSEEN;
        return fires(before, before, silencedBy, reachable && lasts, rule, now);
    }

    /** The subject was not there at this tick. */
    @Nullable
    AlertStep missing(AlertRule rule, Instant now) {
        Alert before = alert;
        if (before == null) {
            count(false, rule.ofSeconds());
            return null;
        }
        noLaterThan(now);
        boolean gone = Duration.between(lastHeld, now).compareTo(GONE) >= 0;
        return gone ? ends(before, Alert.GONE, rule.receivers(), now) : null;
    }

    /**
     * After a clock that was set back: an alert must not wait for its end until the clock is there
     * again.
     */
    private void noLaterThan(Instant now) {
        if (lastHeld.isAfter(now)) {
            lastHeld = now;
        }
    }

    /** The rule is no more, or means this subject no more. */
    @Nullable
    AlertStep abandoned(List<String> receivers, Instant now) {
        Alert before = alert;
        window.clear();
        held = 0;
        return before == null ? null : ends(before, Alert.RULE, receivers, now);
    }

    private @Nullable AlertStep fires(
            Alert newest,
            @Nullable Alert before,
            @Nullable String silencedBy,
            boolean reachable,
            AlertRule rule,
            Instant now) {
        Alert step = newest.silenced(silencedBy);
        NoticeReason tell = silencedBy == null && reachable ? due(step, rule, now) : null;
        if (tell != null) {
            step = step.told(now);
        }
        alert = step;
        boolean changed = before == null
                || tell != null
                || !step.state().equals(before.state())
                || !java.util.Objects.equals(step.silencedBy(), before.silencedBy());
        return changed ? new AlertStep(step, tell, rule.receivers()) : null;
    }

    private static @Nullable NoticeReason due(Alert alert, AlertRule rule, Instant now) {
        Instant toldAt = alert.toldAt();
        Severity toldSeverity = alert.toldSeverity();
        if (toldAt == null || toldSeverity == null) {
            return NoticeReason.FIRING;
        }
        // Told later than now: the clock was set back since.
        Duration since = toldAt.isAfter(now) ? CALM : Duration.between(toldAt, now);
        if (!alert.state().equals(alert.toldState())
                && (alert.severity().isGraverThan(toldSeverity) || since.compareTo(CALM) >= 0)) {
            return NoticeReason.UPDATED;
        }
        boolean again = rule.repeatHours() > 0
                && since.compareTo(Duration.ofHours(rule.repeatHours())) >= 0;
        return again ? NoticeReason.REPEATED : null;
    }

    private AlertStep ends(Alert before, String reason, List<String> receivers, Instant now) {
        Alert end = before.ended(now, reason);
        NoticeReason tell = null;
        if (end.toldAt() != null) {
            end = end.told(now);
            tell = NoticeReason.RESOLVED;
        }
        alert = null;
        window.clear();
        held = 0;
        return new AlertStep(end, tell, receivers);
    }

    private void count(boolean holds, int of) {
        window.addLast(holds);
        held += holds ? 1 : 0;
        while (window.size() > of) {
            held -= window.removeFirst() ? 1 : 0;
        }
    }
}
