/**
 * Alerts: a fault is notified once, in time, and its end is notified, too.
 *
 * <p>In: each assessment, on its thread ({@link dev.komainu.central.alert.AlertBoard}, which only
 * computes), the rules and silences of users, and the clock. Out: alerts that fire, change and end,
 * stored on a thread of their own ({@link dev.komainu.central.alert.AlertKeeper}) and passed to
 * {@link dev.komainu.central.alert.NoticeQueue}. Its only implementation, in {@code notify}, sends
 * them to receivers. A silence or maintenance suppresses notices; it never stops the evaluation.
 *
 * <p>Start at {@link dev.komainu.central.alert.AlertEvaluator}.
 *
 * <p>Decision: docs/decisions/0056-alerts.md
 */
@NullMarked
package dev.komainu.central.alert;

import org.jspecify.annotations.NullMarked;
