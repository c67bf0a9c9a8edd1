package dev.komainu.central.api.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.diagnosis.Flowchart;
import dev.komainu.central.indices.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Flowchart} of the contract: the questions without what answers them. */
public record FlowchartView(String version, List<Node> nodes, List<Flowchart.Edge> edges) {

    /** One box. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Node(
            String id,
            Flowchart.Kind kind,
            Text title,
            @Nullable Text why,
            @Nullable String paper) {}

    public static FlowchartView of(Flowchart chart) {
        return new FlowchartView(
                chart.version(),
                chart.nodes().stream()
                        .map(node -> new Node(node.id(), node.kind(), node.title(), node.why(), node.paper()))
                        .toList(),
                chart.edges());
    }
}
