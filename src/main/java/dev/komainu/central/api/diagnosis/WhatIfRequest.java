package dev.komainu.central.api.diagnosis;

import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.diagnosis.Decision;
import dev.komainu.central.diagnosis.DiagnosisWhatIf;
import dev.komainu.central.diagnosis.Flowchart;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@code DiagnosisWhatIf} of the contract. */
record WhatIfRequest(
        @Nullable List<Supposed> thresholds, @Nullable Map<String, String> answers) {

    private static final int MOST = 100;

    record Supposed(
            @Nullable String node,
            @Nullable String measurement,
            @Nullable Double threshold) {}

    /**
     * Returns the checked assumptions.
     *
     * @throws dev.komainu.central.api.problem.ProblemException naming every field that is wrong
     */
    DiagnosisWhatIf checked(Flowchart chart) {
        List<Supposed> supposed = thresholds == null ? List.of() : thresholds;
        Map<String, String> requestedAnswers = answers == null ? Map.of() : answers;
        BodyChecks checks = new BodyChecks()
                .that(supposed.size() <= MOST, "thresholds", supposed.size(), "at most " + MOST)
                .that(
                        requestedAnswers.size() <= MOST,
                        "answers",
                        requestedAnswers.size(),
                        "at most " + MOST);
        int index = 0;
        for (Supposed each : supposed.subList(0, Math.min(MOST, supposed.size()))) {
            String path = "thresholds[" + index++ + "]";
            checks.that(
                            measures(chart, each),
                            path,
                            each.node() + " " + each.measurement(),
                            "a decision and one of its measurements")
                    .that(
                            each.threshold() != null && Double.isFinite(each.threshold()),
                            path + ".threshold",
                            each.threshold(),
                            "a number");
        }
        Map<String, Decision.Verdict> verdicts = new HashMap<>();
        requestedAnswers.forEach((node, answer) -> {
            boolean decision = chart.nodes().stream()
                    .anyMatch(each ->
                            each.id().equals(node) && each.kind() == Flowchart.Kind.DECISION);
            checks.that(decision, "answers", node, "a decision")
                    .that(
                            "yes".equals(answer) || "no".equals(answer),
                            "answers." + node,
                            answer,
                            "yes or no");
            verdicts.put(node, "yes".equals(answer) ? Decision.Verdict.YES : Decision.Verdict.NO);
        });
        checks.orRefuse();
        return new DiagnosisWhatIf(
                supposed.stream()
                        .map(each -> new DiagnosisWhatIf.Threshold(
                                Objects.requireNonNull(each.node()),
                                Objects.requireNonNull(each.measurement()),
                                Objects.requireNonNull(each.threshold())))
                        .toList(),
                verdicts);
    }

    private static boolean measures(Flowchart chart, Supposed supposed) {
        return chart.nodes().stream()
                .filter(node -> node.id().equals(supposed.node()) && node.ask() != null)
                .flatMap(node -> Objects.requireNonNull(node.ask()).conditions().stream())
                .anyMatch(condition -> condition.measure().equals(supposed.measurement()));
    }
}
