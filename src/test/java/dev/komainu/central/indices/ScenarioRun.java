package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.Presence;
import dev.komainu.central.state.RuleBook;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Plays a scenario through the rings and the state model, second by second, with the lessons the service learns. */
public final class ScenarioRun {

    /** The story's second 0. */
    public static final long START = 1_763_683_200L;

    public static final String NODE = "web-01";
    public static final String SERVICE = "web-01:80";

    private final Scenario scenario;
    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LiveIndices live = new LiveIndices(catalogue);
    private final Lessons lessons = new Lessons(live);
    private final StateModel model = new StateModel(RuleBook.load(catalogue));
    private final ServiceProfile profile;
    private final List<String> states = new ArrayList<>();
    private @Nullable Judgement last;

    private ScenarioRun(Scenario scenario) {
        this.scenario = scenario;
        List<Setting> settings = new ArrayList<>();
        if (scenario.settings() != null) {
            scenario.settings().forEach((name, value) -> settings.add(new Setting(name, value, "/etc/server.conf:1")));
        }
        String kind = scenario.kind() == null ? "apache" : scenario.kind();
        profile = new ServiceProfile(
                SERVICE,
                NODE,
                kind + " :80",
                kind,
                null,
                List.of(),
                100L,
                null,
                settings,
                Set.of("agent@" + NODE),
                0,
                0);
    }

    public static ScenarioRun of(String resource) {
        ScenarioRun run = new ScenarioRun(YamlResource.read(resource, Scenario.class));
        run.play();
        return run;
    }

    private void play() {
        int second = 0;
        int lastHost = -100;
        for (Scenario.Phase phase : scenario.phases()) {
            for (int at = 0; at < phase.seconds(); at++, second++) {
                long now = START + second;
                if (phase.packets() != null) {
                    Map<String, Double> values = Scenario.values(phase.packets(), at, phase.seconds());
                    live.accept("agent@" + NODE, SERVICE, Told.packets(SERVICE, now, values), now * 1_000);
                }
                if (phase.proxy() != null) {
                    live.accept(SERVICE, Told.proxy(SERVICE, now, Scenario.values(phase.proxy(), at, phase.seconds())));
                }
                // A sample taken at the end of this second speaks of the ten before; the phase's middle stands for it.
                if (phase.host() != null && second % 10 == 9) {
                    lastHost = second;
                    Map<String, Double> values = Scenario.values(phase.host(), at, phase.seconds());
                    live.accept("agent@" + NODE, Told.host(NODE, SERVICE, now + 1, values));
                }
                boolean heard = now - live.newestSecond(SERVICE) <= 10;
                boolean host = second - lastHost <= 15;
                MeasurementView view = live.view(SERVICE, NODE, profile.limits(), now);
                last = model.judge(profile.kind(), view, new Presence(heard, host, NODE, host));
                states.add(last.state().label());
                lessons.learn(view, last.state().label().equals("normal"));
            }
        }
    }

    public Scenario scenario() {
        return scenario;
    }

    public ServiceProfile profile() {
        return profile;
    }

    public MeasurementView view() {
        return live.view(SERVICE, NODE, profile.limits(), START + states.size() - 1);
    }

    public Judgement judgement() {
        return Objects.requireNonNull(last);
    }

    /** What did not come as expected, one line each. */
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (Scenario.Expectation e : scenario.expect()) {
            if (e.never() != null) {
                int seen = firstOf(e.never());
                if (seen >= 0) {
                    failures.add("never " + e.never() + ", but at " + seen + " s");
                }
            } else if (e.from() != null && e.until() != null) {
                for (int at = e.from(); at < e.until(); at++) {
                    if (!states.get(at).equals(e.state())) {
                        failures.add(e.state() + " from " + e.from() + " to " + e.until() + ", but " + states.get(at)
                                + " at " + at + " s");
                        break;
                    }
                }
            } else {
                int from = Objects.requireNonNull(e.at());
                int within = e.within() == null ? 0 : e.within();
                List<String> seen = states.subList(from, Math.min(states.size(), from + within + 1));
                if (!seen.contains(e.state())) {
                    failures.add(e.state() + " at " + from + " s, within " + within + " s, but " + seen);
                }
            }
        }
        return failures;
    }

    private int firstOf(String beginning) {
        for (int at = 0; at < states.size(); at++) {
            if (states.get(at).startsWith(beginning)) {
                return at;
            }
        }
        return -1;
    }

    /** The states run together: {@code normal 0-61, saturated/cpu 62-…}. */
    public String ribbon() {
        StringBuilder ribbon = new StringBuilder();
        for (int at = 0; at < states.size(); at++) {
            if (at == 0 || !states.get(at).equals(states.get(at - 1))) {
                ribbon.append(at == 0 ? "" : ", ")
                        .append(states.get(at))
                        .append(" from ")
                        .append(at);
            }
        }
        return ribbon.toString();
    }

    /** Changes of state in all: what flapping would show. */
    public int changes() {
        int changes = 0;
        for (int at = 1; at < states.size(); at++) {
            changes += states.get(at).equals(states.get(at - 1)) ? 0 : 1;
        }
        return changes;
    }
}
