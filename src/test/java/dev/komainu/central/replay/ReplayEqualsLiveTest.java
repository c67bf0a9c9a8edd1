package dev.komainu.central.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.ScenarioTraffic;
import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordingReader;
import dev.komainu.central.recording.WindowCopy;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a recording judged again gives the judgements of the run that it was made in. */
class ReplayEqualsLiveTest {

    private static final Path SCENARIOS = Path.of("test/resources/scenarios");

    @TempDir
    Path temporary;

    private static List<String> judgedAgain(Path recording) throws IOException {
        IndexCatalogue catalogue = new IndexCatalogue();
        RecordedCentre centre =
                new RecordedCentre(catalogue, new StateModel(RuleSet.load(catalogue)));
        List<String> judged = new ArrayList<>();
        centre.listen(assessment -> judged.add(LiveCentre.digest(assessment)));
        new RecordingReader(recording).read(centre::accept);
        return judged;
    }

    private List<String> play(List<RecordedEvent> events) {
        try (LiveCentre live =
                new LiveCentre(temporary.resolve("recording"), events.getFirst().atMicros())) {
            live.play(events);
            return live.judged();
        }
    }

    private static List<String> scenarios() throws IOException {
        try (Stream<Path> files = Files.list(SCENARIOS)) {
            return files.map(file -> "/scenarios/" + file.getFileName())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void everyScenario_replayed_isJudgedAsLive_secondBySecond() throws IOException {
        List<String> states = new ArrayList<>();
        for (List<String> some : split(scenarios(), 24)) {
            List<RecordedEvent> events = ScenarioTraffic.of(some.size() % 10, some);
            Path recording = temporary.resolve("recording");
            List<String> live = play(events);

            assertThat(firstDifference(judgedAgain(recording), live))
                    .as("%s", some)
                    .isEmpty();
            states.addAll(live);
            try (Stream<Path> files = Files.list(recording)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
        assertThat(states.stream().flatMap(tick -> Stream.of(tick.split(" "))))
                .contains("SATURATED_CPU", "FAILING", "STOPPED_CRASHED", "UNREACHABLE", "UNKNOWN");
    }

    /** Returns the first ticks that differ; empty when there is none. */
    private static String firstDifference(List<String> one, List<String> other) {
        for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
            String a = i < one.size() ? one.get(i) : "absent";
            String b = i < other.size() ? other.get(i) : "absent";
            if (!a.equals(b)) {
                return "tick " + i + ": " + a + " and " + b;
            }
        }
        return "";
    }

    private static List<List<String>> split(List<String> all, int size) {
        List<List<String>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            parts.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return parts;
    }

    /** Arrivals that are late and out of order are replayed with the disorder of the live run. */
    @Test
    void lateArrivals_replayed_areAsLateAsLive() throws IOException {
        List<RecordedEvent> events = new ArrayList<>(ScenarioTraffic.of(
                3, List.of("/scenarios/cpu-shortage.yaml", "/scenarios/restart.yaml")));
        // Each seventh batch changes places with an event some seconds later.
        for (int i = 0; i + 9 < events.size(); i += 7) {
            if (events.get(i) instanceof Accepted late
                    && events.get(i + 9) instanceof Accepted other) {
                events.set(i, new Accepted(late.atMicros(), false, other.batch()));
                events.set(i + 9, new Accepted(other.atMicros(), false, late.batch()));
            }
        }
        List<String> live = play(events);
        List<String> inOrder = new ArrayList<>();
        try (LiveCentre centre =
                new LiveCentre(temporary.resolve("other"), events.getFirst().atMicros())) {
            centre.play(ScenarioTraffic.of(
                    3, List.of("/scenarios/cpu-shortage.yaml", "/scenarios/restart.yaml")));
            inOrder.addAll(centre.judged());
        }

        assertThat(firstDifference(judgedAgain(temporary.resolve("recording")), live))
                .isEmpty();
        assertThat(firstDifference(live, inOrder)).as("the disorder matters").isNotEmpty();
    }

    @Test
    void copyOfWindows_isJudgedTheSame() throws IOException {
        List<String> live = play(ScenarioTraffic.of(
                0, List.of("/scenarios/crash.yaml", "/scenarios/origin-down.yaml")));
        Path copied = temporary.resolve("copy");
        try (WindowCopy copy = new WindowCopy(copied)) {
            new RecordingReader(temporary.resolve("recording")).read(copy::accept);
        }

        assertThat(live).isNotEmpty();
        assertThat(firstDifference(judgedAgain(copied), live)).isEmpty();
    }
}
