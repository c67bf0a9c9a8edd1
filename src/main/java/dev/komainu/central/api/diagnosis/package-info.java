/**
 * Diagnoses, overridden decisions and the flowchart over REST: {@code /diagnoses},
 * {@code /flowchart}, {@code /services/{service}/diagnosis}, {@code /services/{service}/overrides}.
 *
 * <p>In: requests the guard let through; the newest assessment. Out: diagnoses as kept, run anew or
 * supposed. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.diagnosis.DiagnosisController}.
 */
@NullMarked
package dev.komainu.central.api.diagnosis;

import org.jspecify.annotations.NullMarked;
