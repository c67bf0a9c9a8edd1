package dev.komainu.central.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.Scenario;
import dev.komainu.central.indices.ScenarioTraffic;
import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.central.replay.LiveCentre;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.RuleSet;
import dev.komainu.telemetry.kit.Nightly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the sweep on recordings whose plateau is known. */
class ThresholdSweepTest {

    private static final IndexCatalogue CATALOGUE = new IndexCatalogue();
    private static final RuleSet RULES = RuleSet.load(CATALOGUE);

    @TempDir
    Path temporary;

    /** The rule {@code memory/available} alone: available memory below 5 %. */
    private static RuleSet oneRule() {
        List<Rule> rules = RULES.rules().stream()
                .filter(rule -> rule.id().equals("memory/available"))
                .map(rule -> rule.with(rule.when().stream()
                        .filter(c -> c.measure().equals("hostMemoryAvailableShare"))
                        .map(c -> c.against(0.05, "test"))
                        .toList()))
                .toList();
        return new RuleSet(
                "test", new Rule.Persistence(8, 10), new Rule.Persistence(15, 20), rules);
    }

    private Path record(String name, List<RecordedEvent> events) {
        Path recording = temporary.resolve(name);
        try (LiveCentre live = new LiveCentre(recording, events.getFirst().atMicros())) {
            live.play(events);
        }
        return recording;
    }

    /** Normal traffic with some available memory, and a fault from second 200 to 260 with less. */
    private Path memory(String name, double normal, double fault) throws IOException {
        Map<String, String> packets = Map.of("rps", "100", "ms", "5");
        List<Scenario.Phase> phases = List.of(
                phase(60, packets, 0.6),
                phase(60, packets, normal),
                phase(80, packets, 0.6),
                phase(60, packets, fault),
                phase(60, packets, 0.6));
        Path recording = record(
                name,
                ScenarioTraffic.ofScenarios(
                        0, List.of(new Scenario("memory", null, null, phases, List.of()))));
        expect(recording, "web-01:80", 200, 260, "saturated/memory");
        return recording;
    }

    private static Scenario.Phase phase(
            int seconds, Map<String, String> packets, double available) {
        return new Scenario.Phase(
                seconds, packets, Map.of("available", "" + available), null, null);
    }

    private static void expect(Path recording, String service, int onset, int cure, String expected)
            throws IOException {
        Files.writeString(
                recording.resolveSibling(recording.getFileName() + ".json"),
                String.format(
                        Locale.ROOT,
                        """
                        [{"service": "%s", "onset": %d, "cure": %d, "expected": "%s"}]""",
                        service,
                        ScenarioTraffic.START + onset,
                        ScenarioTraffic.START + cure,
                        expected));
    }

    private static List<SweepRow> run(RecordingSweep sweep, Path recording)
            throws IOException, InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            return sweep.run(recording, threads);
        }
    }

    private static Curve memoryCurve(RuleSet rules, Path recording)
            throws IOException, InterruptedException {
        List<SweptMark> marks = SweptMark.all(rules, CATALOGUE);
        RecordingSweep sweep = new RecordingSweep(rules, CATALOGUE, marks, false);
        List<SweepRow> rows = run(sweep, recording);
        assertThat(sweep.differences()).isZero();
        return Curve.of(marks, List.of(rows)).getFirst();
    }

    /** 2.2 % in the fault and 9 % in normal traffic: every mark between is as good. */
    @Test
    void mark_onItsPlateau_isFoundWithItsEnds() throws IOException, InterruptedException {
        Curve curve = memoryCurve(oneRule(), memory("good", 0.09, 0.022));
        Plateau plateau = Plateau.of(curve);

        assertThat(plateau).isEqualTo(new Plateau(0.5, 1.7, Plateau.Judged.ON_PLATEAU, 0.05));
        assertThat(curve.usual().right()).isEqualTo(1);
        assertThat(curve.usual().median()).isBetween(1.0, 22.0);
        assertThat(curve.points().get(1).right()).as("x 0.4: below the fault").isZero();
        assertThat(curve.points().get(12).alarms())
                .as("x 2: above normal traffic")
                .isEqualTo(1);
        assertThat(plateau.range(curve.mark())).isEqualTo("×0.5 to ×1.7 (0.025 to 0.085)");
    }

    /** 4.2 % in normal traffic: the mark in use gives a false alarm, a lower one does not. */
    @Test
    void mark_offThePlateau_isFoundWithTheBetterOne() throws IOException, InterruptedException {
        Curve curve = memoryCurve(oneRule(), memory("bad", 0.042, 0.01));
        Plateau plateau = Plateau.of(curve);

        assertThat(curve.usual().alarms()).isEqualTo(1);
        assertThat(plateau.judgement()).isEqualTo(Plateau.Judged.MOVE);
        assertThat(plateau.moveTo()).isBetween(0.0257, 0.0259); // middle of 5 %/3 and 4 %
    }

    /** Normal traffic at 5.2 %: a slightly higher mark would give a false alarm. */
    @Test
    void mark_atTheEdge_isFoundWithTheMiddle() throws IOException, InterruptedException {
        Plateau plateau = Plateau.of(memoryCurve(oneRule(), memory("edge", 0.052, 0.01)));

        assertThat(plateau.judgement()).isEqualTo(Plateau.Judged.AT_EDGE);
        assertThat(plateau.to()).isEqualTo(1.0);
        assertThat(plateau.moveTo()).isBetween(0.0288, 0.0289); // middle of 5 %/3 and 5 %
    }

    @Test
    void mark_betweenFaultAndNormalWithoutRoom_hasNoPlateau()
            throws IOException, InterruptedException {
        Plateau plateau = Plateau.of(memoryCurve(oneRule(), memory("narrow", 0.052, 0.047)));

        assertThat(plateau).isEqualTo(new Plateau(1, 1, Plateau.Judged.NO_PLATEAU, 0.05));
    }

    @Test
    void mark_thatNothingReaches_isNotCalledGood() throws IOException, InterruptedException {
        Plateau plateau = Plateau.of(memoryCurve(oneRule(), memory("far", 0.6, 0.5)));

        assertThat(plateau.judgement()).isEqualTo(Plateau.Judged.NOT_EXERCISED);
    }

    /** 1 % in the fault, 60 % in normal traffic: every factor is as good, and the rule held. */
    @Test
    void mark_farFromBoth_isOnAPlateauOfEveryFactor() throws IOException, InterruptedException {
        Plateau plateau = Plateau.of(memoryCurve(oneRule(), memory("wide", 0.6, 0.001)));

        assertThat(plateau.judgement()).isEqualTo(Plateau.Judged.ON_PLATEAU);
        assertThat(plateau.from()).isEqualTo(1 / 3.0);
        assertThat(plateau.to()).isEqualTo(3.0);
    }

    /**
     * The columns give each state of the replay, and a threshold that is left out as not deciding
     * would have changed nothing.
     */
    @Test
    @Tag(Nightly.TAG)
    void sweep_withAndWithoutShortCuts_findsTheSame() throws IOException, InterruptedException {
        Path recording = record(
                "several",
                ScenarioTraffic.of(
                        3,
                        List.of(
                                "/scenarios/cpu-shortage.yaml",
                                "/scenarios/restart.yaml",
                                "/scenarios/swinging-at-a-threshold.yaml",
                                "/scenarios/processes-all-workers-busy.yaml")));
        List<SweptMark> all = SweptMark.all(RULES, CATALOGUE);
        List<SweptMark> some = IntStream.range(0, all.size())
                .filter(i -> all.get(i).rule().matches("(cpu|processes|sockets)/.*")
                        || all.get(i).isStopLimit())
                .mapToObj(all::get)
                .toList();
        RecordingSweep complete = new RecordingSweep(RULES, CATALOGUE, some, true);
        RecordingSweep quick = new RecordingSweep(RULES, CATALOGUE, some, false);

        List<SweepRow> expected = run(complete, recording);

        assertThat(run(quick, recording)).containsExactlyElementsOf(expected);
        assertThat(expected).hasSizeGreaterThan(20);
        assertThat(quick.judgements()).isLessThan(complete.judgements());
        assertThat(complete.differences() + quick.differences()).isZero();
    }

    @Test
    void line_isReadAsWritten() {
        SweepRow row = new SweepRow(
                3,
                4,
                "web-01:80",
                new SweepVerdict(
                        List.of(
                                new SweepVerdict.OnFault(true, 7.5),
                                new SweepVerdict.OnFault(false, Double.NaN)),
                        2,
                        1.25));

        assertThat(SweepRow.of(row.line())).isEqualTo(row);
    }
}
