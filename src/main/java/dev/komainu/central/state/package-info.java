/**
 * State: the state of each watched server in each second, and its cause (thesis 3.5, figure 3.8,
 * refined).
 *
 * <p>In: a view of a service's measurements and the collectors that report. Out: one judgement with
 * its evidence, and a transition when the state changed. Rules and thresholds are data, in
 * {@code state/rules.yaml}, and so is the causal order, in {@code state/causes.yaml}; the order of
 * events that separates a restart from a crash is in
 * {@link dev.komainu.central.state.StopClassifier}. Runs on the assessment's thread only; this
 * package does not read a clock.
 *
 * <p>Start at {@link dev.komainu.central.state.StateModel}.
 *
 * <p>Decisions: docs/decisions/0087-failing-is-a-state.md, docs/decisions/0088-a-gate-for-rules.md,
 * docs/decisions/0106-causal-order.md
 */
@NullMarked
package dev.komainu.central.state;

import org.jspecify.annotations.NullMarked;
