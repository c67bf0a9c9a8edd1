package dev.komainu.central.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.advice.AdviceCatalogue;
import dev.komainu.central.advice.LeafActions;
import dev.komainu.central.diagnosis.Flowchart;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.YamlResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The table leaf × kind of server in {@code docs/leaves.md}: derived from the flowchart, the advice
 * and the settings that orders cover, with the reasons in {@code leaves/cells.yaml}. Run with
 * {@code -Dleaves.write} it writes the page.
 */
class LeafTableTest {

    private static final Path PAGE = Path.of("..", "docs", "leaves.md");
    private static final Pattern TABLE =
            Pattern.compile("(?s)<!-- leaves -->\n.*?<!-- /leaves -->\n");

    /**
     * What cannot be derived.
     *
     * @param kinds kinds of servers in the order of the columns
     * @param improved cells proven by a cure drill
     * @param reasons by leaf, then by kind or {@code all}
     */
    record Cells(
            LinkedHashMap<String, Column> kinds,
            List<Proof> improved,
            Map<String, Map<String, String>> reasons) {}

    /**
     * A column.
     *
     * @param page page of its advice
     * @param settings settings that make the kind
     */
    record Column(String page, List<String> settings, String name) {}

    record Proof(String leaf, String kind, String drill) {}

    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LeafActions actions = new LeafActions(new AdviceCatalogue(catalogue));
    private final Cells cells = YamlResource.read("/leaves/cells.yaml", Cells.class);
    private final List<String> mistakes = new ArrayList<>();

    @Test
    void page_everyCell_isImprovedOrAdviceOrHasAReason() throws IOException {
        String table = table();

        assertThat(mistakes).isEmpty();
        Path page = Files.exists(PAGE) ? PAGE : Path.of("docs", "leaves.md");
        String text = Files.readString(page);
        String written = TABLE.matcher(text)
                .replaceFirst(java.util.regex.Matcher.quoteReplacement(
                        "<!-- leaves -->\n" + table + "<!-- /leaves -->\n"));
        if (System.getProperty("leaves.write") != null) {
            Files.writeString(page, written);
        }
        assertThat(Files.readString(page))
                .as("docs/leaves.md (write it with -Dleaves.write)")
                .isEqualTo(written);
    }

    private String table() {
        Map<String, Column> kinds = cells.kinds();
        StringBuilder head = new StringBuilder("| leaf |");
        StringBuilder line = new StringBuilder("|---|");
        kinds.values().forEach(kind -> {
            head.append(' ').append(kind.name()).append(" |");
            line.append("---|");
        });
        StringBuilder table =
                new StringBuilder().append(head).append('\n').append(line).append('\n');
        int improved = 0;
        int ordered = 0;
        int only = 0;
        int not = 0;
        List<String> leaves = Flowchart.load(catalogue).nodes().stream()
                .filter(node -> node.kind() == Flowchart.Kind.ACTION)
                .map(Flowchart.Node::id)
                .toList();
        for (String leaf : leaves) {
            table.append("| `").append(leaf).append("` |");
            for (Map.Entry<String, Column> kind : kinds.entrySet()) {
                String cell = cell(leaf, kind.getKey(), kind.getValue());
                improved += cell.startsWith("**improved**") ? 1 : 0;
                ordered += cell.startsWith("advice, not yet") ? 1 : 0;
                only += cell.startsWith("advice only") ? 1 : 0;
                not += cell.startsWith("not applicable") ? 1 : 0;
                table.append(' ').append(cell).append(" |");
            }
            table.append('\n');
        }
        int all = leaves.size() * kinds.size();
        if (improved + ordered + only + not != all) {
            mistakes.add(all - (improved + ordered + only + not) + " cells are none of the four");
        }
        return improved + " cells are improved in a drill, " + ordered
                + " have advice that no drill has proven yet, " + only + " advice only, " + not
                + " are not applicable; " + all + " in all.\n\n" + table;
    }

    private String cell(String leaf, String kind, Column about) {
        List<LeafActions.Action> found = actions.of(leaf, about.page(), about.settings());
        List<String> orders = found.stream()
                .filter(action ->
                        action.plain() && Consequences.covers(about.page(), action.setting()))
                .map(action -> "`" + action.setting() + "`")
                .distinct()
                .toList();
        String drill = drill(leaf, kind);
        if (drill != null) {
            if (found.isEmpty()) {
                mistakes.add(leaf + " × " + kind + ": improved, but no advice");
            }
            return "**improved** ([" + drill + "](drills.md#cures))";
        }
        String reason = reason(leaf, kind);
        if (reason != null && reason.startsWith("not: ")) {
            if (found.stream().anyMatch(LeafActions.Action::ofServer)) {
                mistakes.add(leaf + " × " + kind + ": not applicable, but has advice " + found);
            }
            return "not applicable: " + reason.substring(5);
        }
        boolean handed = reason != null && reason.startsWith("only: ");
        if (!orders.isEmpty() && !handed) {
            return "advice, not yet drilled: "
                    + String.join(", ", orders.subList(0, Math.min(3, orders.size())))
                    + (orders.size() > 3 ? ", …" : "");
        }
        if (handed) {
            if (found.isEmpty() && !actions.instructs(leaf, about.page())) {
                mistakes.add(leaf + " × " + kind + ": advice only, but there is none");
            }
            return "advice only: " + String.valueOf(reason).substring(6);
        }
        if (!found.isEmpty()) {
            return "advice only: no order writes "
                    + String.join(
                            ", ",
                            found.stream()
                                    .map(action -> "`" + action.setting() + "`")
                                    .distinct()
                                    .toList());
        }
        mistakes.add(leaf + " × " + kind + ": empty");
        return "";
    }

    private @Nullable String drill(String leaf, String kind) {
        for (Proof each : cells.improved()) {
            if (each.leaf().equals(leaf) && each.kind().equals(kind)) {
                return each.drill();
            }
        }
        return null;
    }

    private @Nullable String reason(String leaf, String kind) {
        Map<String, String> reasons = cells.reasons().getOrDefault(leaf, Map.of());
        return reasons.getOrDefault(kind, reasons.get("all"));
    }
}
