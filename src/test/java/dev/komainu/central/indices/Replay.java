package dev.komainu.central.indices;

import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.StateModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A story that was played once, judged again by other models. What was usual at each second stays
 * what the first model let the service learn; each value is computed once. For stories whose host
 * is sampled each second: nothing comes late.
 */
public final class Replay {

    private final ScenarioRun run;
    private final List<Map<Asked, Double>> kept = new ArrayList<>();

    private record Asked(String index, long end, int over) {}

    public Replay(Scenario story) {
        run = ScenarioRun.eachSecond(story);
        run.looks().forEach(look -> kept.add(new HashMap<>()));
    }

    /** One judgement a second. */
    public List<Judgement> judge(StateModel model) {
        return judge(model, null);
    }

    /** @param hidden an index that nothing collects; null: none */
    public List<Judgement> judge(StateModel model, @Nullable String hidden) {
        List<Judgement> judgements = new ArrayList<>();
        for (int second = 0; second < kept.size(); second++) {
            judgements.add(model.judge(
                    run.profile().kind(),
                    view(second, hidden),
                    run.looks().get(second).presence()));
        }
        return judgements;
    }

    /** What was seen at the end of a second of the story. */
    public MeasurementView view(int second, @Nullable String hidden) {
        MeasurementView seen = run.looks().get(second).view();
        Map<Asked, Double> values = kept.get(second);
        return seen.with((index, end, over) -> index.equals(hidden)
                ? Double.NaN
                : values.computeIfAbsent(
                        new Asked(index, end, over), asked -> seen.at(index, end, over)));
    }

    /** The story's length. */
    public int seconds() {
        return kept.size();
    }
}
