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
 * conditions and their thresholds.
 */
class StateModelPageTest {

    private static final Pattern ROW = Pattern.compile(
            "^\\| (\\d+) \\| `([\\w/-]+)` \\| `([^`]+)` \\| (.*?) \\|.*$", Pattern.MULTILINE);
    private static final Pattern CONDITION =
            Pattern.compile("`(\\w+)` ([<>=]+) ([-0-9.,]+)( %)?.*");

    @Test
    void rows_areTheRules() throws IOException {
        Stream<String> rules = RuleSet.load(new IndexCatalogue()).rules().stream()
                .map(rule -> rule.rank() + " " + rule.id() + " " + rule.state().label() + " "
                        + rule.when().stream().map(StateModelPageTest::sentence).toList());

        assertThat(rows()).containsExactlyInAnyOrderElementsOf(rules.toList());
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
