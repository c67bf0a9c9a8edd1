package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.label.ServiceLabels;
import java.time.Instant;
import java.util.List;

/**
 * The condition of one subject at one tick, as input for the alert rules.
 *
 * @param subject id of a service, name of a source or cluster, {@code CLUSTER/MEMBER}, or
 *     {@code store}
 * @param state label: a service's state, {@code silent} or {@code reporting} for a source, else the
 *     quantity that the kind counts
 * @param observable false when the condition is unknown now; then an alert neither fires nor ends
 * @param figure value compared with the threshold: per minute, or a share; NaN for a kind without
 *     one
 * @param usual default severity of this state
 * @param since begin of the state
 * @param labels of a service; of other subjects none
 */
record Observation(
        AlertKind kind,
        String subject,
        String state,
        boolean observable,
        double figure,
        Severity usual,
        Instant since,
        LocalizedText text,
        List<Evidence> evidence,
        ServiceLabels labels) {

    /** Creates the observation of a subject without labels. */
    Observation(
            AlertKind kind,
            String subject,
            String state,
            boolean observable,
            double figure,
            Severity usual,
            Instant since,
            LocalizedText text,
            List<Evidence> evidence) {
        this(
                kind,
                subject,
                state,
                observable,
                figure,
                usual,
                since,
                text,
                evidence,
                ServiceLabels.NONE);
    }

    /** Returns the same observation with another description. */
    Observation with(LocalizedText description) {
        return new Observation(
                kind,
                subject,
                state,
                observable,
                figure,
                usual,
                since,
                description,
                evidence,
                labels);
    }
}
