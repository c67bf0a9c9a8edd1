package dev.komainu.central.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
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

    /** Shortest time between two notices of one alert, unless it becomes more severe or ends. */
    static final Duration CALM = Duration.ofSeconds(60);

    /** Time a subject must be missing before its alert ends as gone. */
    static final Duration GONE = Duration.ofSeconds(60);

    private final Deque<Boolean> window = new ArrayDeque<>();
    private int heldCount;
    private @Nullable Alert alert;
    /** Time at which the condition last held or was not observable. */
    private Instant lastHeld = Instant.MIN;

    /** Returns an evaluator that continues an alert that fired before a restart. */
    static AlertEvaluator resumed(Alert alert, Instant now) {
        AlertEvaluator evaluator = new AlertEvaluator();
        evaluator.alert = alert;
        evaluator.lastHeld = now;
        return evaluator;
    }

    @Nullable
    Alert alert() {
        return alert;
    }

    /** Reports whether nothing fires and nothing is counted. An idle evaluator can be removed. */
    boolean idle() {
        return alert == null && heldCount == 0;
    }

    /**
     * Evaluates what a rule finds now. Returns the step to store; {@code null} when nothing
     * changed.
     *
     * @param silencedBy silence that covers the subject now; where the condition does not hold, in
     *     the alert's state
     * @param reachable whether an enabled receiver exists
     */
    @Nullable
    AlertStep step(
            String ruleId,
            AlertRule rule,
            Concern concern,
            @Nullable String silencedBy,
            boolean reachable,
            Instant now) {
        AlertRule.Verdict verdict = concern.verdict();
        boolean holds = verdict == AlertRule.Verdict.HOLDS;
        Alert before = alert;
        limitLastHeld(now);
        if (before == null) {
            count(holds, rule.ofSeconds());
            if (!holds || !concern.isSettled() || heldCount < rule.needed()) {
                return null;
            }
            lastHeld = now;
            return fires(
                    Alert.fired(ruleId, rule, concern, now),
                    null,
                    silencedBy,
                    reachable,
                    rule,
                    now);
        }
        if (holds) {
            lastHeld = now;
            return fires(
                    before.observed(rule, concern.observation()),
                    before,
                    silencedBy,
                    reachable,
                    rule,
                    now);
        }
        if (concern.isContinuedElsewhere()) {
            return ends(before, Alert.MERGED, rule.receivers(), now);
        }
        if (verdict == AlertRule.Verdict.NOT_OBSERVABLE) {
            lastHeld = now;
        }
        if (Duration.between(lastHeld, now).toSeconds() >= rule.clearSeconds()
                && verdict == AlertRule.Verdict.HOLDS_NOT) {
            return ends(before, Alert.RECOVERED, rule.receivers(), now);
        }
        boolean lasts = verdict == AlertRule.Verdict.NOT_OBSERVABLE;
        return fires(before, before, silencedBy, reachable && lasts, rule, now);
    }

    /** Evaluates a tick without an observation of the subject. */
    @Nullable
    AlertStep missing(AlertRule rule, Instant now) {
        Alert before = alert;
        if (before == null) {
            count(false, rule.ofSeconds());
            return null;
        }
        limitLastHeld(now);
        boolean gone = Duration.between(lastHeld, now).compareTo(GONE) >= 0;
        return gone ? ends(before, Alert.GONE, rule.receivers(), now) : null;
    }

    /**
     * Corrects {@link #lastHeld} after the clock was set back. Without this, an alert would not end
     * until the clock reaches the old time again.
     */
    private void limitLastHeld(Instant now) {
        if (lastHeld.isAfter(now)) {
            lastHeld = now;
        }
    }

    /** Ends the alert because the rule was removed or no longer covers this subject. */
    @Nullable
    AlertStep abandoned(List<String> receivers, Instant now) {
        Alert before = alert;
        window.clear();
        heldCount = 0;
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
        NoticeReason notice = silencedBy == null && reachable ? due(step, rule, now) : null;
        if (notice != null) {
            step = step.notified(now);
        }
        alert = step;
        boolean changed = before == null
                || notice != null
                || !step.state().equals(before.state())
                || !Objects.equals(step.silencedBy(), before.silencedBy());
        return changed ? new AlertStep(step, notice, rule.receivers()) : null;
    }

    private static @Nullable NoticeReason due(Alert alert, AlertRule rule, Instant now) {
        Instant toldAt = alert.toldAt();
        Severity toldSeverity = alert.toldSeverity();
        if (toldAt == null || toldSeverity == null) {
            return NoticeReason.FIRING;
        }
        // The last notice lies in the future if the clock was set back since.
        Duration since = toldAt.isAfter(now) ? CALM : Duration.between(toldAt, now);
        if (!alert.state().equals(alert.toldState())
                && (alert.severity().isMoreSevereThan(toldSeverity)
                        || since.compareTo(CALM) >= 0)) {
            return NoticeReason.UPDATED;
        }
        boolean again = rule.repeatHours() > 0
                && since.compareTo(Duration.ofHours(rule.repeatHours())) >= 0;
        return again ? NoticeReason.REPEATED : null;
    }

    private AlertStep ends(Alert before, String reason, List<String> receivers, Instant now) {
        Alert end = before.ended(now, reason);
        NoticeReason notice = null;
        if (end.toldAt() != null) {
            end = end.notified(now);
            notice = NoticeReason.RESOLVED;
        }
        alert = null;
        window.clear();
        heldCount = 0;
        return new AlertStep(end, notice, receivers);
    }

    private void count(boolean holds, int of) {
        window.addLast(holds);
        heldCount += holds ? 1 : 0;
        while (window.size() > of) {
            heldCount -= window.removeFirst() ? 1 : 0;
        }
    }
}
