package dev.komainu.central.diagnosis;

import dev.komainu.central.diagnosis.Flowchart.Answer;
import dev.komainu.central.diagnosis.Flowchart.Edge;
import dev.komainu.central.diagnosis.Flowchart.Kind;
import dev.komainu.central.diagnosis.Flowchart.Node;
import dev.komainu.central.indices.IndexCatalogue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds what is wrong with a flowchart: dangling edges, half-answered decisions, measurements that
 * do not exist.
 */
final class FlowchartCheck {

    private final Flowchart chart;
    private final IndexCatalogue catalogue;
    private final List<String> mistakes = new ArrayList<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();

    FlowchartCheck(Flowchart chart, IndexCatalogue catalogue) {
        this.chart = chart;
        this.catalogue = catalogue;
    }

    List<String> mistakes() {
        for (Node node : chart.nodes()) {
            if (nodes.put(node.id(), node) != null) {
                mistakes.add(node.id() + ": defined twice");
            }
            asks(node);
        }
        for (Edge edge : chart.edges()) {
            if (!nodes.containsKey(edge.from()) || !nodes.containsKey(edge.to())) {
                mistakes.add(edge.from() + " → " + edge.to() + ": no such node");
            }
        }
        nodes.values().forEach(this::edges);
        reachable();
        return mistakes;
    }

    private void asks(Node node) {
        Flowchart.Ask ask = node.ask();
        if ((node.kind() == Kind.DECISION) != (ask != null)) {
            mistakes.add(node.id() + ": ask (expected: with decisions, and only there)");
        }
        if (ask == null) {
            return;
        }
        ask.conditions().forEach(condition -> condition.check(node.id(), catalogue, mistakes));
        if (ask.missing() == null || ask.missing().isEmpty()) {
            mistakes.add(node.id() + ": missing (expected: what would supply the evidence)");
        }
    }

    private void edges(Node node) {
        List<Answer> answers = chart.edges().stream()
                .filter(edge -> edge.from().equals(node.id()))
                .map(Edge::answer)
                .sorted()
                .toList();
        List<Answer> expected = switch (node.kind()) {
            case START, ACTION -> List.of(Answer.NEXT);
            case DECISION -> List.of(Answer.YES, Answer.NO);
            case END -> List.of();
        };
        if (!answers.equals(expected)) {
            mistakes.add(node.id() + ": leads on by " + answers + " (expected: " + expected + ")");
        }
    }

    private void reachable() {
        Deque<String> open = new ArrayDeque<>();
        Set<String> seen = new HashSet<>();
        chart.nodes().stream()
                .filter(node -> node.kind() == Kind.START)
                .forEach(node -> open.add(node.id()));
        if (open.size() != 1) {
            mistakes.add("start: " + open.size() + " (expected: exactly one)");
        }
        while (!open.isEmpty()) {
            String id = open.remove();
            if (seen.add(id)) {
                chart.edges().stream()
                        .filter(edge -> edge.from().equals(id))
                        .forEach(edge -> open.add(edge.to()));
            }
        }
        for (String id : nodes.keySet()) {
            if (!seen.contains(id)) {
                mistakes.add(id + ": never reached");
            }
        }
    }
}
