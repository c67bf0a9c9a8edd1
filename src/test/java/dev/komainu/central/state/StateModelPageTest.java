package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexCatalogue;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/state-model.md} contains the rules as they are: each with its rank, its state, its
 * conditions and their thresholds; and the causes, each with what it fills.
 */
class StateModelPageTest {

    private static final Pattern ROW = Pattern.compile(
            "^\\| (\\d+) \\| `([\\w/-]+)` \\| `([^`]+)` \\| (.*?) \\|.*$", Pattern.MULTILINE);
    private static final Pattern CAUSE = Pattern.compile(
            "^\\| `([\\w-]+)`: ([^|]*) \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\| `([^|]*)` \\|$",
            Pattern.MULTILINE);
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern CONDITION =
            Pattern.compile("`(\\w+)` ([<>=]+) ([-0-9.,]+)( %)?.*");

    @Test
    void rows_areTheRules() throws IOException {
        Stream<String> rules = RuleSet.load(new IndexCatalogue()).rules().stream()
                .map(rule -> rule.rank() + " " + rule.id() + " " + rule.state().label() + " "
                        + rule.when().stream().map(StateModelPageTest::sentence).toList());

        assertThat(rows()).containsExactlyInAnyOrderElementsOf(rules.toList());
    }

    /** The table of the causal order contains each cause with what it fills and its conditions. */
    @Test
    void order_isTheCauses() throws IOException {
        String page = Files.readString(Path.of("../docs/state-model.md"));
        List<String> rows = new ArrayList<>();
        Matcher row = CAUSE.matcher(page);
        while (row.find()) {
            List<String> fills = new ArrayList<>();
            Matcher filled = QUOTED.matcher(row.group(3));
            while (filled.find()) {
                fills.add(filled.group(1));
            }
            rows.add(row.group(1) + " (" + row.group(2) + ") " + fills + " " + groups(row.group(4))
                    + " " + groups(row.group(5)) + " " + row.group(6));
        }

        assertThat(rows)
                .containsExactlyElementsOf(CausalOrder.standard().causes().stream()
                        .map(cause -> cause.id() + " (" + cause.title().en() + ") " + cause.fills()
                                + " " + sentences(cause.suspected()) + " "
                                + sentences(cause.ruledOut()) + " " + cause.command())
                        .toList());
    }

    private static List<List<String>> groups(String cell) {
        return cell.equals("–")
                ? List.of()
                : Stream.of(cell.split("<br>"))
                        .map(group -> Stream.of(group.split(" and "))
                                .map(StateModelPageTest::read)
                                .toList())
                        .toList();
    }

    private static List<List<String>> sentences(List<List<Condition>> groups) {
        return groups.stream()
                .map(group -> group.stream().map(StateModelPageTest::sentence).toList())
                .toList();
    }

    private static String sentence(Condition condition) {
        return sentence(
                condition.measure(), condition.is().sign(), BigDecimal.valueOf(condition.than()));
    }

    private static String sentence(String measure, String sign, BigDecimal than) {
        return measure + " " + sign + " " + than.stripTrailingZeros().toPlainString();
    }

    private static List<String> rows() throws IOException {
        List<String> rows = new ArrayList<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("../docs/state-model.md")));
        while (row.find()) {
            List<String> conditions = Stream.of(row.group(4).split("<br>"))
                    .map(StateModelPageTest::read)
                    .toList();
            rows.add(row.group(1) + " " + row.group(2) + " " + row.group(3) + " " + conditions);
        }
        return rows;
    }

    private static String read(String text) {
        Matcher condition = CONDITION.matcher(text);
        if (!condition.matches()) {
            return text;
        }
        BigDecimal than = new BigDecimal(condition.group(3).replace(",", ""));
        boolean share = condition.group(4) != null && !condition.group(1).endsWith("Percent");
        return sentence(
                condition.group(1), condition.group(2), share ? than.movePointLeft(2) : than);
    }
}
