/**
 * Verification of changes: compares the minutes before a change with the minutes after it, second
 * by second, at the same load.
 *
 * <p>In: a recorded change, and the indices of its service from memory or store. Out: a run with a
 * verdict (improved, unchanged, worse, inconclusive), never altered afterwards. A run starts with
 * the change, waits while the server settles, measures, and is evaluated. It is stored completely
 * at its start, so that a restart of this service only delays the verdict. Threads: runs start on
 * the recording thread; the assessment's tick finds those that are due, and one virtual thread
 * evaluates them.
 *
 * <p>Start at {@link dev.komainu.central.verify.Comparison} for the statistics, at
 * {@link dev.komainu.central.verify.Verifier} for the course of a run.
 *
 * <p>Decision: docs/decisions/0052-verified-at-the-same-load.md
 */
@NullMarked
package dev.komainu.central.verify;

import org.jspecify.annotations.NullMarked;
