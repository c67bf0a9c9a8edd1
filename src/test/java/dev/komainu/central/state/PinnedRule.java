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
 * One rule's committed cases: a story in which it names the state, and for each condition what
 * happens just on either side of its threshold. Files lie in {@code rules/};
 * {@code rules/README.md} tells how they are written.
 *
 * @param rule its id
 * @param story what happens, for people
 * @param kind server kind; absent: apache
 * @param otherKind one it does not apply to; for rules that say {@code kinds}
 * @param settings of the server
 * @param usual the seconds before the fault
 * @param fault the seconds of it
 * @param entered second of the story from which on this rule names the state
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
     * @param of measurement of the condition
     * @param holds its value just on the side on which the condition holds: the rule names the
     *     state
     * @param beyond its value just on the other side: it does not
     * @param missing {@code holds} when the rule is entered although nothing collects the
     *     measurement
     * @param with what is told otherwise than in the rule's story, such as {@code host.idle}; of
     *     the seconds before the fault {@code usual.host.idle}; {@code none} takes a value away
     * @param at second of the story at which this is so; absent: the last
     * @param expect what is named beyond: {@code normal}, or {@code STATE by RULE}, with
     *     {@code beside STATE, STATE} where further causes are told
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

    /** One file. */
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

    /** What is wrong with how the cases are written, whatever they say. */
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
