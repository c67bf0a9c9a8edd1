/**
 * The sweep of thresholds: each threshold of the state model is multiplied by factors, and recorded
 * services are judged again with each.
 *
 * <p>In: recordings, each with the expected states beside it ({@code RECORDING.json}), or of normal
 * traffic. Out: for each threshold the right causes, delays and false alarms by factor, and the
 * range of factors over which none gets worse. The measurements are computed once for each
 * recording and kept in columns ({@link dev.komainu.central.sweep.ServiceColumns}); then the state
 * model judges them with each threshold that could make a difference.
 *
 * <p>Start at {@link dev.komainu.central.sweep.ThresholdSweep}.
 */
@NullMarked
package dev.komainu.central.sweep;

import org.jspecify.annotations.NullMarked;
