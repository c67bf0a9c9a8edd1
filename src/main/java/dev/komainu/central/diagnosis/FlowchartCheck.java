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
 * The check of a flowchart: reports dangling edges, decisions with only one edge, and measurements
 * that do not exist.
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
            checkCriteria(node);
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

    private void checkCriteria(Node node) {
        Flowchart.Criteria criteria = node.ask();
        if ((node.kind() == Kind.DECISION) != (criteria != null)) {
            mistakes.add(node.id() + ": ask (expected: with decisions, and only there)");
        }
        if (criteria == null) {
            return;
        }
        criteria.conditions().forEach(condition -> condition.check(node.id(), catalogue, mistakes));
        if (criteria.missing() == null || criteria.missing().isEmpty()) {
            mistakes.add(node.id()
                    + ": missing (expected: the collector that would supply the evidence)");
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
            mistakes.add(node.id() + ": edges " + answers + " (expected: " + expected + ")");
        }
    }

    private void reachable() {
        Deque<String> open = new ArrayDeque<>();
        Set<String> reached = new HashSet<>();
        chart.nodes().stream()
                .filter(node -> node.kind() == Kind.START)
                .forEach(node -> open.add(node.id()));
        if (open.size() != 1) {
            mistakes.add("start: " + open.size() + " (expected: exactly one)");
        }
        while (!open.isEmpty()) {
            String id = open.remove();
            if (reached.add(id)) {
                chart.edges().stream()
                        .filter(edge -> edge.from().equals(id))
                        .forEach(edge -> open.add(edge.to()));
            }
        }
        for (String id : nodes.keySet()) {
            if (!reached.contains(id)) {
                mistakes.add(id + ": never reached");
            }
        }
    }
}
