package dev.komainu.central.state;

import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.YamlResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The committed cases of one rule: a scenario in which it names the state, and for each condition
 * the results just on either side of its threshold. Files are in {@code rules/}; their form is
 * described in {@code rules/README.md}.
 *
 * @param rule its id
 * @param story description for people
 * @param kind server kind; absent: apache
 * @param otherKind a kind it does not apply to; for rules with {@code kinds}
 * @param settings of the server
 * @param usual the seconds before the fault
 * @param fault the seconds of it
 * @param entered second of the scenario from which this rule names the state
 * @param state the state it names
 * @param cases of each condition at least one that holds and one beyond
 */
record PinnedRule(
        String rule,
        String story,
        @Nullable String kind,
        @Nullable String otherKind,
        @Nullable Map<String, String> settings,
        Scenario.Phase usual,
        Scenario.Phase fault,
        int entered,
        ServiceState state,
        List<Case> cases) {

    /**
     * A case of one condition.
     *
     * @param of measurement of the condition
     * @param holds its value just on the side on which the condition holds: the rule names the
     *     state
     * @param beyond its value just on the other side: it does not
     * @param missing {@code holds} when the rule is entered although no collector reports the
     *     measurement
     * @param with values that differ from the rule's scenario, such as {@code host.idle}; for the
     *     seconds before the fault {@code usual.host.idle}; {@code none} removes a value
     * @param at second of the scenario that is checked; absent: the last
     * @param expect result beyond: {@code normal}, or {@code STATE by RULE}, with {@code beside
     *     STATE, STATE} where there are further causes
     */
    record Case(
            String of,
            @Nullable Double holds,
            @Nullable Double beyond,
            @Nullable String missing,
            @Nullable Map<String, String> with,
            @Nullable Integer at,
            @Nullable String expect) {

        @Override
        public String toString() {
            String value = holds != null
                    ? "holds: " + holds
                    : beyond != null ? "beyond: " + beyond : "missing";
            return of + ", " + value;
        }
    }

    /** The cases of one file. */
    record Sheet(List<PinnedRule> rules) {}

    private static final Path FILES = Path.of("test/resources/rules");

    static List<PinnedRule> all() throws IOException {
        try (Stream<Path> files = Files.list(FILES)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .flatMap(file ->
                            YamlResource.read("/rules/" + file.getFileName(), Sheet.class)
                                    .rules()
                                    .stream())
                    .toList();
        }
    }

    Scenario story(Map<String, String> with) {
        return new Scenario(story, kind, settings, List.of(usual, fault), List.of()).with(with);
    }

    /** Returns the mistakes in the form of the cases, without playing them. */
    List<String> mistakes(Rule of) {
        List<String> mistakes = new ArrayList<>();
        of.when().forEach(condition -> {
            String name = rule + ", " + condition.measure();
            if (cases.stream()
                    .noneMatch(it -> it.of.equals(condition.measure()) && it.holds != null)) {
                mistakes.add(name + ": no case that holds");
            }
            if (cases.stream()
                    .noneMatch(it -> it.of.equals(condition.measure()) && it.beyond != null)) {
                mistakes.add(name + ": no case beyond");
            }
        });
        for (Case it : cases) {
            if (of.when().stream().noneMatch(condition -> condition.measure().equals(it.of))) {
                mistakes.add(rule + ": a case of " + it.of + ", which is no condition of it");
            }
            if ((it.beyond != null) != (it.expect != null)) {
                mistakes.add(rule + ", " + it
                        + ": what is expected is said of cases beyond, and of those only");
            }
        }
        if (of.kinds() != null && otherKind == null) {
            mistakes.add(rule + ": no otherKind, though the rule is for some kinds only");
        }
        return mistakes;
    }
}
