package dev.komainu.central.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Replay;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.YamlResource;
import dev.komainu.central.state.StopClassifier.Limits;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * No limit of the stop classifier may change without a failing test: each is moved by half in both
 * directions, and by a factor of hundred, and the result of a scenario in {@code stops.yaml} must
 * differ.
 */
class StopWatchGateTest {

    private static final RuleSet BOOK = RuleSet.load(new IndexCatalogue());

    /**
     * A scenario of a stop.
     *
     * @param name of the scenario
     * @param phases its phases; the host is sampled each second
     * @param ribbon the expected states, each with its first second
     */
    record Stop(String name, List<Scenario.Phase> phases, String ribbon) {}

    record Sheet(List<Stop> stops) {}

    private record Played(Stop stop, Replay replay) {

        boolean failsWith(Limits limits) {
            return !stop.ribbon().equals(ribbon(limits));
        }

        String ribbon(Limits limits) {
            StringBuilder ribbon = new StringBuilder();
            String before = "";
            int second = 0;
            for (Judgement judged : replay.judge(new StateModel(BOOK, BOOK, limits))) {
                String state = judged.state().label();
                if (!state.equals(before)) {
                    ribbon.append(ribbon.isEmpty() ? "" : ", ")
                            .append(state)
                            .append(" from ")
                            .append(second);
                }
                before = state;
                second++;
            }
            return ribbon.toString();
        }
    }

    private final List<Played> played =
            YamlResource.read("/stops.yaml", Sheet.class).stops().stream()
                    .map(stop -> new Played(
                            stop,
                            new Replay(new Scenario(
                                    stop.name(), null, null, stop.phases(), List.of()))))
                    .toList();

    @Test
    void everyStory_givesItsStatesToTheSecond() {
        Map<String, String> expected = new HashMap<>();
        Map<String, String> seen = new HashMap<>();
        played.forEach(each -> {
            expected.put(each.stop().name(), each.stop().ribbon());
            seen.put(each.stop().name(), each.ribbon(Limits.USUAL));
        });
        assertThat(seen).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void everyLimitMoved_isNoticed() throws ReflectiveOperationException {
        int tried = 0;
        List<String> survivors = new ArrayList<>();
        for (RecordComponent limit : Limits.class.getRecordComponents()) {
            double usual = ((Number) limit.getAccessor().invoke(Limits.USUAL)).doubleValue();
            for (double moved : List.of(
                    Math.ceil(usual * 1.5 * 10) / 10,
                    Math.floor(usual / 1.5 * 10) / 10,
                    usual * 100)) {
                // Whole seconds are moved by one.
                double other = limit.getType() == double.class
                        ? moved
                        : moved > usual ? Math.ceil(moved) : Math.floor(moved);
                tried++;
                Limits changed = with(limit.getName(), other);
                if (played.stream().noneMatch(each -> each.failsWith(changed))) {
                    survivors.add(limit.getName() + ": " + other);
                }
            }
        }
        System.out.println("stop watch: limits moved " + tried + ", survivors " + survivors.size());
        assertThat(survivors).as("limits moved that no story notices").isEmpty();
    }

    private static Limits with(String name, double value) throws ReflectiveOperationException {
        RecordComponent[] parts = Limits.class.getRecordComponents();
        Object[] values = new Object[parts.length];
        Class<?>[] types = new Class<?>[parts.length];
        for (int i = 0; i < parts.length; i++) {
            types[i] = parts[i].getType();
            if (!parts[i].getName().equals(name)) {
                values[i] = parts[i].getAccessor().invoke(Limits.USUAL);
            } else if (types[i] == int.class) {
                values[i] = (int) value;
            } else {
                values[i] = value;
            }
        }
        Constructor<Limits> made = Limits.class.getDeclaredConstructor(types);
        return made.newInstance(values);
    }
}
