package dev.komainu.central.api.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.diagnosis.Flowchart;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Flowchart} of the contract: the questions and their measurements. */
record FlowchartView(String version, List<Node> nodes, List<Flowchart.Edge> edges) {

    /** One node of the flowchart. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Node(
            String id,
            Flowchart.Kind kind,
            LocalizedText title,
            @Nullable LocalizedText why,
            @Nullable String paper,
            @Nullable List<Measure> asks) {}

    /** The measurement of a decision, with its threshold in effect. */
    record Measure(
            String measurement, String comparison, double threshold, int seconds, String source) {

        static Measure of(Condition condition) {
            return new Measure(
                    condition.measure(),
                    condition.is().sign(),
                    condition.than(),
                    condition.seconds(),
                    condition.source());
        }
    }

    static FlowchartView of(Flowchart chart) {
        return new FlowchartView(
                chart.version(),
                chart.nodes().stream()
                        .map(node -> new Node(
                                node.id(),
                                node.kind(),
                                node.title(),
                                node.why(),
                                node.paper(),
                                measures(node.ask())))
                        .toList(),
                chart.edges());
    }

    private static @Nullable List<Measure> measures(Flowchart.@Nullable Criteria criteria) {
        return criteria == null
                ? null
                : criteria.conditions().stream().map(Measure::of).toList();
    }
}
