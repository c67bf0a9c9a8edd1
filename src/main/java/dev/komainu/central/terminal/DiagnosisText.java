package dev.komainu.central.terminal;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The text form of a diagnosis for a terminal: the path with the answer to each question, then the
 * leaves with their commands.
 */
final class DiagnosisText {

    private final PrintStream out;
    private final String language;

    DiagnosisText(PrintStream out, String language) {
        this.out = out;
        this.language = language;
    }

    void print(JsonNode diagnosis, JsonNode flowchart) {
        out.println(scalar(diagnosis, "service") + "  " + scalar(diagnosis, "state"));
        line("", localized(diagnosis.path("cause")));
        line(
                "",
                scalar(diagnosis, "system") + "; " + scalar(diagnosis, "at") + "; flowchart "
                        + scalar(diagnosis, "flowchart"));
        out.println();
        path(diagnosis, flowchart);
        for (JsonNode advice : diagnosis.path("advice")) {
            out.println();
            advice(advice);
        }
        if (!diagnosis.path("obsolete").isEmpty()) {
            out.println();
            for (JsonNode each : diagnosis.path("obsolete")) {
                line("✗ ", localized(each.path("title")));
                line("    ", localized(each.path("why")));
            }
        }
    }

    private void path(JsonNode diagnosis, JsonNode flowchart) {
        Map<String, JsonNode> nodes = new HashMap<>();
        flowchart.path("nodes").forEach(node -> nodes.put(scalar(node, "id"), node));
        Map<String, JsonNode> decisions = new HashMap<>();
        diagnosis.path("decisions").forEach(each -> decisions.put(scalar(each, "node"), each));
        int number = 0;
        for (JsonNode step : diagnosis.path("path")) {
            String id = step.asString("");
            JsonNode node = nodes.get(id);
            String title = node == null ? id : localized(node.path("title"));
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
                        .forEach(reason -> line("      · ", localized(reason)));
                decision.path("missing").forEach(missing -> {
                    line("      ? ", localized(missing.path("text")));
                    line("        $ ", scalar(missing, "command"));
                });
            }
        }
    }

    private String answer(JsonNode decision) {
        StringBuilder answer = new StringBuilder("[" + scalar(decision, "verdict"));
        JsonNode override = decision.path("override");
        if (override.isObject()) {
            answer.append(": ")
                    .append(scalar(override, "verdict"))
                    .append(" until ")
                    .append(scalar(override, "until"))
                    .append(" by ")
                    .append(scalar(override, "by"))
                    .append(", ")
                    .append(scalar(override, "reason"))
                    .append("; measured ")
                    .append(scalar(decision, "measured"));
        }
        String confidence = scalar(decision, "confidence");
        return answer.append(confidence.isEmpty() ? "" : ", " + confidence)
                .append(']')
                .toString();
    }

    private String evidence(JsonNode evidence) {
        StringBuilder text = new StringBuilder(localized(evidence.path("text")));
        String source = scalar(evidence, "thresholdSource");
        text.append(source.isEmpty() ? "" : " [" + source + "]");
        JsonNode window = evidence.path("windowSeconds");
        text.append(window.isNumber() ? ", " + window.asInt() + " s" : "");
        return text.append(", ").append(scalar(evidence, "source")).toString();
    }

    private void advice(JsonNode advice) {
        line("▶ ", localized(advice.path("title")) + "  [" + scalar(advice, "effect") + "]");
        line("    ", localized(advice.path("derivation")));
        line("    ", scalar(advice, "currentSource"));
        advice.path("conflicts").forEach(conflict -> line("    ! ", localized(conflict)));
        for (JsonNode step : advice.path("steps")) {
            line("    ", scalar(step, "kind") + ": " + localized(step.path("text")));
            line("      $ ", scalar(step, "command"));
        }
        line("    ", localized(advice.path("cost")));
        line("    ≠ ", localized(advice.path("willNotFix")));
        line("    ", scalar(advice, "reference"));
    }

    private void line(String before, @Nullable String text) {
        if (text != null && !text.isBlank()) {
            out.println(before + text);
        }
    }

    private String localized(JsonNode text) {
        return text.path(language).asString("");
    }

    /** Returns a scalar as text; empty when it is absent or null. */
    private static String scalar(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNull() ? "" : value.asString("");
    }
}
