/**
 * Diagnosis: the server-management flowchart (thesis chapter 6, figure 6.1), walked with live
 * evidence.
 *
 * <p>In: one service's judgement and measurements. Out: the path taken, every decision with its
 * evidence and a computed confidence, the leaves reached and the advice of these leaves. The
 * flowchart is data, in {@code flowcharts/server-management.yaml}. An unknown verdict follows both
 * branches and names the missing collector. Pure; any thread.
 *
 * <p>Start at {@link dev.komainu.central.diagnosis.Diagnostician}.
 *
 * <p>Decision: docs/decisions/0088-a-gate-for-rules.md
 */
@NullMarked
package dev.komainu.central.diagnosis;

import org.jspecify.annotations.NullMarked;
