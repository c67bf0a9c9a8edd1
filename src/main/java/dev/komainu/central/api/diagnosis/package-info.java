/**
 * Diagnoses, overridden decisions and the flowchart over REST: {@code /diagnoses},
 * {@code /flowchart}, {@code /services/{service}/diagnosis}, {@code /services/{service}/overrides}.
 *
 * <p>In: requests that passed the guard; the newest assessment. Out: stored, new and hypothetical
 * diagnoses. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.diagnosis.DiagnosisController}.
 */
@NullMarked
package dev.komainu.central.api.diagnosis;

import org.jspecify.annotations.NullMarked;
