/**
 * Whether a change helped: the minutes before it against the minutes after it, second by second, at
 * the same load.
 *
 * <p>In: a recorded change, and the indices of its service from memory or store. Out: a run with a
 * verdict (improved, unchanged, worse, inconclusive), never altered once it is there. A run begins
 * with the change, waits while the server settles, measures, and is judged; all of it is written
 * down at its beginning, so a restart of this service in the middle only delays the verdict.
 * Threads: runs begin on the recording thread; the assessment's tick finds those that are due, one
 * virtual thread judges them.
 *
 * <p>Start at {@link dev.komainu.central.verify.Comparison} for the statistics, at
 * {@link dev.komainu.central.verify.Verifier} for the course of a run.
 *
 * <p>Decision: docs/decisions/0052-verified-at-the-same-load.md
 */
@NullMarked
package dev.komainu.central.verify;

import org.jspecify.annotations.NullMarked;
