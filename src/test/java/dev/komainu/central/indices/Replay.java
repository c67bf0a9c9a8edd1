package dev.komainu.central.indices;

import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.StateModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario that was played once, judged again by other models. The baseline at each second stays
 * the one learned with the first model; each value is computed once. For scenarios whose host is
 * sampled each second: no data arrives late.
 */
public final class Replay {

    private final ScenarioRun run;
    private final List<Map<Query, Double>> kept = new ArrayList<>();

    private record Query(String index, long end, int over) {}

    public Replay(Scenario story) {
        run = ScenarioRun.eachSecond(story);
        run.inputs().forEach(input -> kept.add(new HashMap<>()));
    }

    /** Judges each second of the scenario. */
    public List<Judgement> judge(StateModel model) {
        return judge(model, null);
    }

    /**
     * Judges each second of the scenario.
     *
     * @param hidden an index that no collector reports; null: none
     */
    public List<Judgement> judge(StateModel model, @Nullable String hidden) {
        List<Judgement> judgements = new ArrayList<>();
        for (int second = 0; second < kept.size(); second++) {
            judgements.add(model.judge(
                    run.profile().kind(),
                    view(second, hidden),
                    run.inputs().get(second).presence()));
        }
        return judgements;
    }

    /** Returns the view at the end of a second of the scenario. */
    public MeasurementView view(int second, @Nullable String hidden) {
        MeasurementView original = run.inputs().get(second).view();
        Map<Query, Double> values = kept.get(second);
        return original.with((index, end, over) -> index.equals(hidden)
                ? Double.NaN
                : values.computeIfAbsent(
                        new Query(index, end, over), query -> original.at(index, end, over)));
    }

    /** Returns the length of the scenario in seconds. */
    public int seconds() {
        return kept.size();
    }
}
