package dev.komainu.central.alert;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.incident.Incident;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The alerts that fire now. Evaluates every assessment by every rule, on the assessment's thread,
 * and does no I/O: each step that must be stored or notified is passed on as an {@link AlertStep}.
 * Alerts that fired before a restart are resumed. They do not fire a second time, and they are
 * closed if the condition ended meanwhile. Any thread may read.
 */
public final class AlertBoard implements AssessmentListener {

    private static final Comparator<Alert> WORST_FIRST = Comparator.comparing(
                    (Alert alert) -> alert.silencedBy() != null)
            .thenComparing(Alert::severity)
            .thenComparing(Alert::firedAt, Comparator.reverseOrder())
            .thenComparing(Alert::subject);

    private final AlertRules rules;
    private final Silences silences;
    private final Observer observer;
    private final Function<String, @Nullable Incident> incidents;
    private final NoticeQueue notices;
    private final Consumer<List<AlertStep>> sink;

    private final Object lock = new Object();

    /** Evaluators by rule id and {@link Concern#key}; guarded by {@link #lock}. */
    private final Map<String, Map<String, AlertEvaluator>> evaluators = new HashMap<>();

    /**
     * Creates the board and resumes open alerts.
     *
     * @param incidents returns the incident of a service; null when it belongs to none
     * @param open alerts that were firing when the service stopped
     * @param sink receives the steps; must return at once
     */
    AlertBoard(
            AlertRules rules,
            Silences silences,
            Observer observer,
            Function<String, @Nullable Incident> incidents,
            NoticeQueue notices,
            List<Alert> open,
            Instant now,
            Consumer<List<AlertStep>> sink) {
        this.rules = rules;
        this.silences = silences;
        this.observer = observer;
        this.incidents = incidents;
        this.notices = notices;
        this.sink = sink;
        for (Alert alert : open) {
            evaluators
                    .computeIfAbsent(alert.rule(), id -> new HashMap<>())
                    .put(Concern.keyOf(alert), AlertEvaluator.resumed(alert, now));
        }
    }

    @Override
    public void assessed(Assessment assessment) {
        Instant now = assessment.at();
        List<Observation> observations = observer.observe(assessment);
        List<AlertStep> steps = new ArrayList<>();
        synchronized (lock) {
            Set<String> known = new HashSet<>();
            for (Versioned<AlertRule> rule : rules.all()) {
                known.add(rule.id());
                evaluate(rule, observations, now, steps);
            }
            abandonAllBut(known, now, steps);
        }
        if (!steps.isEmpty()) {
            sink.accept(steps);
        }
    }

    /**
     * Returns the firing alerts: silenced alerts last, then the most severe first, then the newest
     * first.
     */
    public List<Alert> firing() {
        List<Alert> all = new ArrayList<>();
        synchronized (lock) {
            evaluators.values().forEach(byKey -> all.addAll(alerts(byKey.values())));
        }
        all.sort(WORST_FIRST);
        return all;
    }

    private void evaluate(
            Versioned<AlertRule> versioned,
            List<Observation> observations,
            Instant now,
            List<AlertStep> steps) {
        AlertRule rule = versioned.body();
        Map<String, AlertEvaluator> byKey =
                evaluators.computeIfAbsent(versioned.id(), id -> new HashMap<>());
        boolean reachable = notices.reaches(rule.receivers());
        Set<String> present = new HashSet<>();
        for (Concern concern : Concern.of(rule, observations, incidents, alerts(byKey.values()))) {
            present.add(concern.key());
            AlertEvaluator evaluator = byKey.get(concern.key());
            if (evaluator == null) {
                if (concern.verdict() != AlertRule.Verdict.HOLDS || !concern.isSettled()) {
                    continue;
                }
                evaluator = new AlertEvaluator();
                byKey.put(concern.key(), evaluator);
            }
            Alert open = evaluator.alert();
            // A silence is matched against the alert's state, even while the service is normal
            // again or not observable.
            Observation observation = concern.observation();
            String state = concern.verdict() == AlertRule.Verdict.HOLDS || open == null
                    ? observation.state()
                    : open.state();
            String silence = silences.covering(observation, state, now);
            add(steps, evaluator.step(versioned.id(), rule, concern, silence, reachable, now));
        }
        for (Map.Entry<String, AlertEvaluator> entry : byKey.entrySet()) {
            if (!present.contains(entry.getKey())) {
                AlertEvaluator evaluator = entry.getValue();
                add(
                        steps,
                        stillCovers(rule, subject(entry), observations)
                                ? evaluator.missing(rule, now)
                                : evaluator.abandoned(rule.receivers(), now));
            }
        }
        byKey.values().removeIf(AlertEvaluator::idle);
    }

    /** Reports whether a rule covers a subject, by its labels when it is observed. */
    private static boolean stillCovers(
            AlertRule rule, String subject, List<Observation> observations) {
        return rule.covers(subject)
                && observations.stream()
                        .noneMatch(each -> each.kind() == rule.kind()
                                && each.subject().equals(subject)
                                && !rule.selects(each.labels()));
    }

    private static String subject(Map.Entry<String, AlertEvaluator> entry) {
        Alert alert = entry.getValue().alert();
        return alert == null ? entry.getKey() : alert.subject();
    }

    private static List<Alert> alerts(Collection<AlertEvaluator> evaluators) {
        return evaluators.stream()
                .map(AlertEvaluator::alert)
                .filter(Objects::nonNull)
                .toList();
    }

    private void abandonAllBut(Set<String> known, Instant now, List<AlertStep> steps) {
        for (Iterator<Map.Entry<String, Map<String, AlertEvaluator>>> i =
                        evaluators.entrySet().iterator();
                i.hasNext(); ) {
            Map.Entry<String, Map<String, AlertEvaluator>> entry = i.next();
            if (!known.contains(entry.getKey())) {
                entry.getValue()
                        .values()
                        .forEach(evaluator -> add(steps, evaluator.abandoned(List.of(), now)));
                i.remove();
            }
        }
    }

    private static void add(List<AlertStep> steps, @Nullable AlertStep step) {
        if (step != null) {
            steps.add(step);
        }
    }
}
