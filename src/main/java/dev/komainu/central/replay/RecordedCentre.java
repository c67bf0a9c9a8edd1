package dev.komainu.central.replay;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.JudgementInputListener;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineStore;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.recording.RecordedEvent;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.TransitionStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the central service that judges, fed with a recording. It begins as a central service
 * with an empty database begins. Belongs to one thread.
 */
public final class RecordedCentre {

    private final IndexCatalogue catalogue;
    private final StateModel model;
    private final RecordedClock clock = new RecordedClock();
    private final List<AssessmentListener> listeners = new ArrayList<>();
    private final List<JudgementInputListener> inputListeners = new ArrayList<>();
    private @Nullable Running running;

    /** The objects that need the time of the first event. */
    private record Running(LiveFeed feed, Assessor assessor) {}

    public RecordedCentre(IndexCatalogue catalogue, StateModel model) {
        this.catalogue = catalogue;
        this.model = model;
    }

    /** Adds a listener for each assessment; before the first event. */
    public void listen(AssessmentListener listener) {
        listeners.add(listener);
    }

    /** Adds a listener for the inputs of each judgement; before the first event. */
    public void listenToInputs(JudgementInputListener listener) {
        inputListeners.add(listener);
    }

    /** Accepts the next event. */
    public void accept(RecordedEvent event) {
        clock.set(event.atMicros());
        Running parts = running == null ? start() : running;
        switch (event) {
            case Accepted accepted -> parts.feed().stored(accepted.batch());
            case Ticked ticked -> parts.assessor().tick();
        }
    }

    /** Returns the newest assessment; an empty one before the first tick. */
    public Assessment latest() {
        return running == null
                ? Assessment.nothingYet(clock.instant())
                : running.assessor().latest();
    }

    private Running start() {
        Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);
        LiveIndices live = new LiveIndices(catalogue);
        Assessor assessor = new Assessor(
                fleet,
                live,
                catalogue,
                model,
                TransitionStore.FORGETFUL,
                BaselineStore.FORGETFUL,
                clock);
        listeners.forEach(assessor::listen);
        inputListeners.forEach(assessor::listenToInputs);
        running = new Running(new LiveFeed(fleet, live, clock), assessor);
        return running;
    }
}
