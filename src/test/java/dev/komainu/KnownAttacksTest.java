package dev.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The list of known attacks in {@code docs/security.md}: each is tested, or said to be open. */
class KnownAttacksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PAGE = ROOT.resolve("docs/security.md");
    private static final String HEADING = "## Known attacks";
    private static final Pattern ROW =
            Pattern.compile("\\| (\\d+) \\| ([^|]+) \\| ([^|]+) \\|([^|]*)\\|");
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))`");
    private static final Set<String> NOT_READ =
            Set.of(".git", "target", "node_modules", "dist", "data");

    /**
     * A row of the list.
     *
     * @param tests simple names of the classes that carry the attack out
     */
    private record Attack(int number, String answer, List<String> tests) {}

    private static final List<Attack> attacks = new ArrayList<>();
    private static final Set<String> testClasses = new TreeSet<>();

    @BeforeAll
    static void read() throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        int begin = lines.indexOf(HEADING);
        assertThat(begin).as(HEADING).isPositive();
        for (String line : lines.subList(begin + 1, lines.size())) {
            if (line.startsWith("## ")) {
                break;
            }
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                attacks.add(new Attack(
                        Integer.parseInt(row.group(1)),
                        row.group(3),
                        TEST.matcher(row.group(4))
                                .results()
                                .map(test -> test.group(1))
                                .toList()));
            } else {
                assertThat(line).as("a line of the list").doesNotMatch("\\| \\d.*");
            }
        }
        MainSources.walk(NOT_READ, file -> {
            String name = file.getFileName().toString();
            if (name.endsWith("Test.java") || name.endsWith("IT.java")) {
                testClasses.add(name.replace(".java", ""));
            }
        });
    }

    @Test
    void attacks_areNumberedWithoutGaps() {
        assertThat(attacks).hasSizeGreaterThanOrEqualTo(30);
        for (int i = 0; i < attacks.size(); i++) {
            assertThat(attacks.get(i).number()).isEqualTo(i + 1);
        }
    }

    @Test
    void testsOfEachAttack_exist() {
        for (Attack attack : attacks) {
            assertThat(testClasses)
                    .as("tests of attack " + attack.number())
                    .containsAll(attack.tests());
        }
    }

    @Test
    void attackWithoutATest_isOpenOrAnsweredByAPage() {
        assertThat(attacks)
                .filteredOn(attack -> attack.tests().isEmpty())
                .allSatisfy(
                        attack -> assertThat(attack.answer()).matches(".*(\\*Open\\*|\\.md\\)).*"));
    }
}
