package dev.komainu.central.assessment;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.CollectorPresence;

/**
 * A listener for the inputs of each judgement, called on the assessment's thread before the
 * judgement.
 */
@FunctionalInterface
public interface JudgementInputListener {

    /**
     * Receives the inputs of one judgement.
     *
     * @param view the measurements, valid during the call
     * @param held whether the service keeps its state because the central service has just started
     */
    void judging(
            ServiceProfile profile, MeasurementView view, CollectorPresence presence, boolean held);
}
