package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.time.Instant;
import java.util.List;

/**
 * One thing that could give an alert, as it stands at one tick.
 *
 * @param subject id of a service, name of a source or cluster, {@code CLUSTER/MEMBER}, or
 *     {@code store}
 * @param state label: a service's state, {@code silent} or {@code reporting} of a source, else what
 *     the kind counts
 * @param seen false when nothing can be said now; an alert neither fires nor ends by it
 * @param figure what thresholds are compared with: per minute, or a share; NaN where the kind has
 *     none
 * @param usual how grave this state usually is
 * @param since when the state began
 */
record Observation(
        AlertKind kind,
        String subject,
        String state,
        boolean seen,
        double figure,
        Severity usual,
        Instant since,
        LocalizedText text,
        List<Evidence> evidence) {}
