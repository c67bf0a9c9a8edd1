package dev.komainu.central.terminal;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A diagnosis for people at a terminal: the path with what answered each question, then the leaves
 * with their commands.
 */
final class DiagnosisText {

    private final PrintStream out;
    private final String language;

    DiagnosisText(PrintStream out, String language) {
        this.out = out;
        this.language = language;
    }

    void print(JsonNode diagnosis, JsonNode flowchart) {
        out.println(word(diagnosis, "service") + "  " + word(diagnosis, "state"));
        line("", said(diagnosis.path("cause")));
        line(
                "",
                word(diagnosis, "system") + "; " + word(diagnosis, "at") + "; flowchart "
                        + word(diagnosis, "flowchart"));
        out.println();
        path(diagnosis, flowchart);
        for (JsonNode advice : diagnosis.path("advice")) {
            out.println();
            advice(advice);
        }
        if (!diagnosis.path("obsolete").isEmpty()) {
            out.println();
            for (JsonNode each : diagnosis.path("obsolete")) {
                line("✗ ", said(each.path("title")));
                line("    ", said(each.path("why")));
            }
        }
    }

    private void path(JsonNode diagnosis, JsonNode flowchart) {
        Map<String, JsonNode> nodes = new HashMap<>();
        flowchart.path("nodes").forEach(node -> nodes.put(word(node, "id"), node));
        Map<String, JsonNode> decisions = new HashMap<>();
        diagnosis.path("decisions").forEach(each -> decisions.put(word(each, "node"), each));
        int number = 0;
        for (JsonNode step : diagnosis.path("path")) {
            String id = step.asString("");
            JsonNode node = nodes.get(id);
            String title = node == null ? id : said(node.path("title"));
            JsonNode decision = decisions.get(id);
            out.println(String.format(
                    Locale.ROOT,
                    "%2d  %s%s",
                    ++number,
                    title,
                    decision == null ? "" : "  " + answer(decision)));
            if (decision != null) {
                decision.path("evidence").forEach(evidence -> line("      ", evidence(evidence)));
                decision.path("confidenceReasons")
                        .forEach(reason -> line("      · ", said(reason)));
                decision.path("missing").forEach(missing -> {
                    line("      ? ", said(missing.path("text")));
                    line("        $ ", word(missing, "command"));
                });
            }
        }
    }

    private String answer(JsonNode decision) {
        StringBuilder answer = new StringBuilder("[" + word(decision, "verdict"));
        JsonNode override = decision.path("override");
        if (override.isObject()) {
            answer.append(": ")
                    .append(word(override, "verdict"))
                    .append(" until ")
                    .append(word(override, "until"))
                    .append(" by ")
                    .append(word(override, "by"))
                    .append(", ")
                    .append(word(override, "reason"))
                    .append("; measured ")
                    .append(word(decision, "measured"));
        }
        String confidence = word(decision, "confidence");
        return answer.append(confidence.isEmpty() ? "" : ", " + confidence)
                .append(']')
                .toString();
    }

    private String evidence(JsonNode evidence) {
        StringBuilder text = new StringBuilder(said(evidence.path("text")));
        String source = word(evidence, "thresholdSource");
        text.append(source.isEmpty() ? "" : " [" + source + "]");
        JsonNode window = evidence.path("windowSeconds");
        text.append(window.isNumber() ? ", " + window.asInt() + " s" : "");
        return text.append(", ").append(word(evidence, "source")).toString();
    }

    private void advice(JsonNode advice) {
        line("▶ ", said(advice.path("title")) + "  [" + word(advice, "effect") + "]");
        line("    ", said(advice.path("derivation")));
        line("    ", word(advice, "currentSource"));
        advice.path("conflicts").forEach(conflict -> line("    ! ", said(conflict)));
        for (JsonNode step : advice.path("steps")) {
            line("    ", word(step, "kind") + ": " + said(step.path("text")));
            line("      $ ", word(step, "command"));
        }
        line("    ", said(advice.path("cost")));
        line("    ≠ ", said(advice.path("willNotFix")));
        line("    ", word(advice, "reference"));
    }

    private void line(String before, @Nullable String text) {
        if (text != null && !text.isBlank()) {
            out.println(before + text);
        }
    }

    private String said(JsonNode text) {
        return text.path(language).asString("");
    }

    /** A scalar as text; empty when it is absent or null. */
    private static String word(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNull() ? "" : value.asString("");
    }
}
