/**
 * Alerts: somebody is told, once, in time, and told again when it is over.
 *
 * <p>In: each assessment, on its thread ({@link dev.komainu.central.alert.AlertBoard}, which only
 * computes), the rules and silences people keep, and the clock. Out: alerts that fire, change and
 * end, written down on a thread of their own ({@link dev.komainu.central.alert.AlertKeeper}) and
 * handed to {@link dev.komainu.central.alert.NoticeQueue}, whose one implementation,
 * {@code notify}, tells receivers. A silence or maintenance holds notices back; it never stops the
 * judging.
 *
 * <p>Start at {@link dev.komainu.central.alert.AlertEvaluator}.
 *
 * <p>Decision: docs/decisions/0056-alerts.md
 */
@NullMarked
package dev.komainu.central.alert;

import org.jspecify.annotations.NullMarked;
