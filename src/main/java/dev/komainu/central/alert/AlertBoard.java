package dev.komainu.central.alert;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Judges every assessment by every rule and knows what fires now. Computes only, on the
 * assessment's thread: what must be written or told is handed on as {@link AlertStep}. Alerts that
 * fired before a restart are taken up again, so that they neither fire twice nor are forgotten when
 * they ended meanwhile. Any thread may read.
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
    private final NoticeQueue desk;
    private final Consumer<List<AlertStep>> sink;

    private final Object lock = new Object();

    /** By rule and subject; guarded by {@link #lock}. */
    private final Map<String, Map<String, AlertEvaluator>> watches = new HashMap<>();

    /**
     * @param open alerts that fired and had not ended when the service stopped
     * @param sink must return at once
     */
    AlertBoard(
            AlertRules rules,
            Silences silences,
            Observer observer,
            NoticeQueue desk,
            List<Alert> open,
            Instant now,
            Consumer<List<AlertStep>> sink) {
        this.rules = rules;
        this.silences = silences;
        this.observer = observer;
        this.desk = desk;
        this.sink = sink;
        for (Alert alert : open) {
            watches.computeIfAbsent(alert.rule(), id -> new HashMap<>())
                    .put(alert.subject(), AlertEvaluator.resumed(alert, now));
        }
    }

    @Override
    public void assessed(Assessment assessment) {
        Instant now = assessment.at();
        List<Observation> seen = observer.observe(assessment);
        List<AlertStep> news = new ArrayList<>();
        synchronized (lock) {
            Set<String> known = new HashSet<>();
            for (Versioned<AlertRule> rule : rules.all()) {
                known.add(rule.id());
                judge(rule, seen, now, news);
            }
            abandonAllBut(known, now, news);
        }
        if (!news.isEmpty()) {
            sink.accept(news);
        }
    }

    /** What fires now: silenced ones last, the gravest first, of these the newest. */
    public List<Alert> firing() {
        List<Alert> all = new ArrayList<>();
        synchronized (lock) {
            for (Map<String, AlertEvaluator> bySubject : watches.values()) {
                for (AlertEvaluator watch : bySubject.values()) {
                    Alert alert = watch.alert();
                    if (alert != null) {
                        all.add(alert);
                    }
                }
            }
        }
        all.sort(WORST_FIRST);
        return all;
    }

    private void judge(
            Versioned<AlertRule> kept, List<Observation> seen, Instant now, List<AlertStep> news) {
        AlertRule rule = kept.body();
        Map<String, AlertEvaluator> mine =
                watches.computeIfAbsent(kept.id(), id -> new HashMap<>());
        boolean reachable = desk.reaches(rule.receivers());
        Set<String> present = new HashSet<>();
        for (Observation each : seen) {
            AlertRule.Verdict verdict = rule.judge(each);
            if (verdict == AlertRule.Verdict.NOT_MINE) {
                continue;
            }
            present.add(each.subject());
            AlertEvaluator watch = mine.get(each.subject());
            if (watch == null) {
                if (verdict != AlertRule.Verdict.HOLDS) {
                    continue;
                }
                watch = new AlertEvaluator();
                mine.put(each.subject(), watch);
            }
            Alert open = watch.alert();
            // What is told is the alert's state, also while the service is normal again or cannot
            // be seen.
            String state = verdict == AlertRule.Verdict.HOLDS || open == null
                    ? each.state()
                    : open.state();
            String silence = silences.covering(each.subject(), state, now);
            add(news, watch.step(kept.id(), rule, verdict, each, silence, reachable, now));
        }
        for (Map.Entry<String, AlertEvaluator> each : mine.entrySet()) {
            if (!present.contains(each.getKey())) {
                AlertEvaluator watch = each.getValue();
                add(
                        news,
                        rule.concerns(each.getKey())
                                ? watch.missing(rule, now)
                                : watch.abandoned(rule.receivers(), now));
            }
        }
        mine.values().removeIf(AlertEvaluator::idle);
    }

    private void abandonAllBut(Set<String> known, Instant now, List<AlertStep> news) {
        for (Iterator<Map.Entry<String, Map<String, AlertEvaluator>>> i =
                        watches.entrySet().iterator();
                i.hasNext(); ) {
            Map.Entry<String, Map<String, AlertEvaluator>> each = i.next();
            if (!known.contains(each.getKey())) {
                each.getValue()
                        .values()
                        .forEach(watch -> add(news, watch.abandoned(List.of(), now)));
                i.remove();
            }
        }
    }

    private static void add(List<AlertStep> news, @Nullable AlertStep one) {
        if (one != null) {
            news.add(one);
        }
    }
}
