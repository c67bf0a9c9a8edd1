package dev.komainu.central.indices;

import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plays a scenario through the rings and the state model, second by second; the service learns its
 * baseline meanwhile.
 */
public final class ScenarioRun {

    /** Second 0 of the scenario, since the epoch. */
    public static final long START = 1_763_683_200L;

    public static final String NODE = "web-01";
    public static final String SERVICE = "web-01:80";

    private final Scenario scenario;
    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LiveIndices live = new LiveIndices(catalogue);
    private final BaselineLearner lessons = new BaselineLearner(live);
    private final StateModel model = new StateModel(RuleSet.load(catalogue));
    private final ServiceProfile profile;
    private final List<String> states = new ArrayList<>();
    private final List<ModelInput> inputs = new ArrayList<>();
    private @Nullable Judgement last;

    private final AgentPace pace;

    /** The input of the state model at one second. */
    record ModelInput(MeasurementView view, CollectorPresence presence) {}

    private ScenarioRun(Scenario scenario, AgentPace pace) {
        this.scenario = scenario;
        this.pace = pace;
        List<Setting> settings = new ArrayList<>();
        if (scenario.settings() != null) {
            scenario.settings()
                    .forEach((name, value) ->
                            settings.add(new Setting(name, value, "/etc/server.conf:1")));
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

    /**
     * Plays a scenario file. The host is sampled every ten seconds, as if each sample described one
     * phase only.
     */
    public static ScenarioRun of(String resource) {
        return of(YamlResource.read(resource, Scenario.class));
    }

    /** Plays a scenario without a file, with the same samples. */
    public static ScenarioRun of(Scenario scenario) {
        ScenarioRun run = new ScenarioRun(scenario, AgentPace.aligned());
        run.play();
        return run;
    }

    /**
     * Plays a scenario with a host sample each second: the values of a second are known at its end,
     * and no others.
     */
    public static ScenarioRun eachSecond(Scenario scenario) {
        ScenarioRun run = new ScenarioRun(scenario, AgentPace.everySecond());
        run.play();
        return run;
    }

    /**
     * Plays a scenario with the host samples of an agent with default settings: every ten seconds,
     * every second while in doubt, each sample a mean over the time since the last one.
     *
     * @param offset second of the first sample, 0 to 9: the position of the scenario's events
     *     within the agent's interval
     */
    public static ScenarioRun asSampled(String resource, int offset) {
        ScenarioRun run = new ScenarioRun(
                YamlResource.read(resource, Scenario.class), AgentPace.from(offset));
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
                    Map<String, Double> values =
                            Scenario.values(phase.packets(), at, phase.seconds());
                    live.accept(
                            "agent@" + NODE,
                            SERVICE,
                            Told.packets(SERVICE, now, values),
                            now * 1_000);
                }
                if (phase.proxy() != null) {
                    live.accept(
                            SERVICE,
                            Told.proxy(
                                    SERVICE,
                                    now,
                                    Scenario.values(phase.proxy(), at, phase.seconds())));
                }
                if (phase.origin() != null) {
                    Map<String, Double> values =
                            Scenario.values(phase.origin(), at, phase.seconds());
                    String side = OriginSide.of(SERVICE);
                    live.accept(
                            "agent@" + NODE, side, Told.packets(side, now, values), now * 1_000);
                }
                Map<String, Double> seen = phase.packets() == null
                        ? null
                        : Scenario.values(phase.packets(), at, phase.seconds());
                Map<String, Double> sample = pace.second(
                        second,
                        seen,
                        phase.host() == null
                                ? null
                                : Scenario.values(phase.host(), at, phase.seconds()));
                if (sample != null) {
                    lastHost = second;
                    live.accept("agent@" + NODE, Told.host(NODE, SERVICE, now + 1, sample));
                }
                boolean reports = now - live.newestSecond(SERVICE) <= 10;
                boolean host = second - lastHost <= 15;
                MeasurementView view = live.view(SERVICE, NODE, profile.limits(), now);
                CollectorPresence presence = new CollectorPresence(reports, host, NODE, host);
                inputs.add(new ModelInput(view, presence));
                last = model.judge(profile.kind(), view, presence);
                states.add(last.state().label());
                lessons.learn(view, last.state().label().equals("normal"));
            }
        }
    }

    List<ModelInput> inputs() {
        return inputs;
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

    /** Returns the expectations that were not met, one line each. */
    public List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (Scenario.Expectation e : scenario.expect()) {
            if (e.never() != null) {
                int seen = firstOf(e.never());
                if (seen >= 0) {
                    failures.add("never " + e.never() + ", but at " + seen + " s");
                }
            } else if (e.namedWithin() != null || e.recoveredWithin() != null) {
                failures.addAll(promptness(e));
            } else if (e.from() != null && e.until() != null) {
                for (int at = e.from(); at < e.until(); at++) {
                    if (!states.get(at).equals(e.state())) {
                        failures.add(e.state() + " from " + e.from() + " to " + e.until() + ", but "
                                + states.get(at) + " at " + at + " s");
                        break;
                    }
                }
            } else {
                int from = Objects.requireNonNull(e.at());
                int within = e.within() == null ? 0 : e.within();
                List<String> seen =
                        states.subList(from, Math.min(states.size(), from + within + 1));
                if (!seen.contains(e.state())) {
                    failures.add(
                            e.state() + " at " + from + " s, within " + within + " s, but " + seen);
                }
            }
        }
        return failures;
    }

    /**
     * Seconds from a fault's onset to its naming, and from its end to normal.
     *
     * @param named -1 when it was never named
     * @param recovered -1 when the state never became normal, or the scenario has no end of the
     *     fault
     */
    public record Delay(String state, int named, int recovered) {}

    /** Returns the delays of each fault whose onset is in the scenario. */
    public List<Delay> delays() {
        List<Delay> delays = new ArrayList<>();
        for (Scenario.Expectation e : scenario.expect()) {
            if (e.namedWithin() != null) {
                String state = Objects.requireNonNull(e.state());
                int from = Objects.requireNonNull(e.from());
                int until = e.until() == null ? states.size() : e.until();
                int recovered = until < states.size() ? after(until, states.size(), "normal") : -1;
                delays.add(new Delay(state, after(from, until, state), recovered));
            }
        }
        return delays;
    }

    /**
     * Returns the seconds after {@code from} until this state is reached; -1 when it is not reached
     * before {@code until}.
     */
    private int after(int from, int until, String state) {
        return states.subList(from, until).indexOf(state);
    }

    /**
     * Checks that the state is named in time and kept, left in time and not entered again before
     * the next onset: no flapping.
     */
    private List<String> promptness(Scenario.Expectation e) {
        List<String> failures = new ArrayList<>();
        String state = Objects.requireNonNull(e.state());
        int from = Objects.requireNonNull(e.from());
        int until = e.until() == null ? states.size() : e.until();
        if (e.namedWithin() != null) {
            int named = after(from, until, state);
            if (named < 0 || named > e.namedWithin()) {
                failures.add(state + " from " + from + " within " + e.namedWithin()
                        + " s, but after " + named + " s");
            } else if (!states.subList(from + named, until).stream().allMatch(state::equals)) {
                failures.add(
                        state + " until " + until + ", but " + states.subList(from + named, until));
            }
        }
        if (e.recoveredWithin() != null) {
            int next = scenario.expect().stream()
                    .filter(other -> other.namedWithin() != null
                            && Objects.requireNonNull(other.from()) >= until)
                    .mapToInt(other -> Objects.requireNonNull(other.from()))
                    .min()
                    .orElse(states.size());
            int recovered = after(until, next, "normal");
            if (recovered < 0 || recovered > e.recoveredWithin()) {
                failures.add("normal from " + until + " within " + e.recoveredWithin()
                        + " s, but after " + recovered + " s");
            } else if (!states.subList(until + recovered, next).stream()
                    .allMatch("normal"::equals)) {
                failures.add("normal until " + next + ", but "
                        + states.subList(until + recovered, next));
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

    /** Returns the states in one line: {@code normal 0-61, saturated/cpu 62-…}. */
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

    /** Returns the number of changes of state, which is high when states flap. */
    public int changes() {
        int changes = 0;
        for (int at = 1; at < states.size(); at++) {
            changes += states.get(at).equals(states.get(at - 1)) ? 0 : 1;
        }
        return changes;
    }
}
