package dev.komainu.central.replay;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineStore;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.ingest.BatchListener;
import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.central.recording.TelemetryRecorder;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.TransitionStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The judging part of a running central service, wired as {@code AssessmentWiring} does, with a
 * recorder. It is driven by the hand of a test: batches arrive and ticks happen when the test says.
 */
public final class LiveCentre implements AutoCloseable {

    private static final class Hand extends Clock {
        private long micros;

        @Override
        public Instant instant() {
            return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final Hand clock = new Hand();
    private final List<String> judged = new ArrayList<>();
    private final TelemetryRecorder recorder;
    private final List<BatchListener> listeners;
    private final Assessor assessor;

    public LiveCentre(Path recording, long firstMicros) {
        clock.micros = firstMicros;
        IndexCatalogue catalogue = new IndexCatalogue();
        Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);
        LiveIndices live = new LiveIndices(catalogue);
        recorder = new TelemetryRecorder(recording, 64 << 20, new SimpleMeterRegistry(), clock);
        listeners = List.of(new LiveFeed(fleet, live, clock), recorder);
        assessor = new Assessor(
                fleet,
                live,
                catalogue,
                new StateModel(RuleSet.load(catalogue)),
                TransitionStore.FORGETFUL,
                BaselineStore.FORGETFUL,
                clock);
        assessor.listen(recorder);
        assessor.listen(assessment -> judged.add(digest(assessment)));
    }

    /** Returns the states of an assessment, with a digest of evidence and values. */
    static String digest(Assessment assessment) {
        return assessment.at() + " "
                + assessment.services().stream()
                        .map(service -> service.profile().id() + " " + service.second() + " "
                                + service.judgement().state().name() + " "
                                + service.judgement().rule() + " "
                                + service.judgement().hashCode() + " "
                                + service.values().hashCode())
                        .collect(Collectors.joining(" "));
    }

    /** Plays events: each batch is passed to the listeners, each tick to the assessor. */
    public void play(List<RecordedEvent> events) {
        for (RecordedEvent event : events) {
            clock.micros = event.atMicros();
            switch (event) {
                case Accepted accepted ->
                    listeners.forEach(listener -> listener.stored(accepted.batch()));
                case Ticked ticked -> assessor.tick();
            }
        }
    }

    /** Returns what was judged at each tick, as text. */
    List<String> judged() {
        return judged;
    }

    @Override
    public void close() {
        recorder.close();
    }
}
