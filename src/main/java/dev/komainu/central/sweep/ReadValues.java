package dev.komainu.central.sweep;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The values that the state model reads: those of the rules' conditions, and all others that it
 * asked for when it judged seconds of random values. Nothing about the model is written down here,
 * so a change of the model needs no change of the sweep.
 */
final class ReadValues {

    /**
     * A value that the model reads.
     *
     * @param over seconds of its window
     * @param back seconds before the newest for which it is read
     */
    record ReadValue(String measure, int over, int back) {}

    private record Window(String measure, int over) {}

    private static final int LEAST_BACK = 12;
    private static final int TRIALS = 1_500;
    private static final double[] SOME = {0, 0.05, 0.5, 1, 3, 20, 1_000, Double.NaN};

    private ReadValues() {}

    static List<ReadValue> of(RuleSet ruleSet, IndexCatalogue catalogue) {
        Map<Window, Integer> back = new HashMap<>();
        int longest = Math.max(ruleSet.enter().of(), ruleSet.leave().of());
        for (Rule rule : ruleSet.rules()) {
            longest = Math.max(longest, rule.enter() == null ? 0 : rule.enter().of());
        }
        for (Rule rule : ruleSet.rules()) {
            for (var condition : rule.when()) {
                back.merge(
                        new Window(condition.measure(), condition.seconds()), longest, Math::max);
            }
        }
        ask(ruleSet, catalogue, back);
        List<ReadValue> values = new ArrayList<>();
        back.forEach((window, seconds) -> values.add(
                new ReadValue(window.measure(), window.over(), Math.max(seconds, LEAST_BACK))));
        return values;
    }

    /** Judges random seconds, and notes what is read. Always the same ones. */
    private static void ask(RuleSet ruleSet, IndexCatalogue catalogue, Map<Window, Integer> back) {
        Random random = new Random(1);
        Set<String> kinds = new LinkedHashSet<>(List.of("other"));
        ruleSet.rules().forEach(rule -> {
            if (rule.kinds() != null) {
                kinds.addAll(rule.kinds());
            }
        });
        List<String> eachKind = List.copyOf(kinds);
        CollectorPresence presence = new CollectorPresence(true, true, "node", true);
        for (int trial = 0; trial < TRIALS; trial++) {
            StateModel model = new StateModel(ruleSet);
            String kind = eachKind.get(trial % eachKind.size());
            // Mostly zero or unknown, else every rule would hold and hide what is read without one.
            double usual = trial % 2 == 0 ? 0 : Double.NaN;
            double share = trial % 10 / 10.0;
            for (long second = 0; second < 4; second++) {
                long now = second;
                model.judge(
                        kind,
                        MeasurementView.ofComputed(
                                catalogue,
                                "asked",
                                now,
                                now - random.nextInt(12),
                                (index, end, over) -> {
                                    back.merge(
                                            new Window(index, over),
                                            (int) Math.max(0, now - end + 1),
                                            Math::max);
                                    return random.nextDouble() < share
                                            ? SOME[random.nextInt(SOME.length)]
                                            : usual;
                                }),
                        presence);
            }
        }
    }
}
