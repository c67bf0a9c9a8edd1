/**
 * Incidents: one fault with all services that feel it, and the diagnosis of each entry into a bad
 * state.
 *
 * <p>In: assessments, one a second, on the assessment's thread. Out: the incidents that last
 * ({@link dev.komainu.central.incident.IncidentBoard}), stored incidents, and stored diagnoses
 * ({@link dev.komainu.central.incident.EntryDiagnoses}), each written on a thread of its own.
 * {@link dev.komainu.central.incident.CurrentDiagnosis} walks the flowchart for a service as it is
 * now; the REST API uses it too.
 */
@NullMarked
package dev.komainu.central.incident;

import org.jspecify.annotations.NullMarked;
