/**
 * Notifications to receivers: mail, signed webhooks in Alertmanager's format, Slack.
 *
 * <p>In: notices, each stored as one delivery for each receiver
 * ({@link dev.komainu.central.alert.notify.NoticeDispatcher}, on the alerts' thread). Out: the
 * messages to receivers, and every attempt with its outcome. Each receiver has a queue and a
 * virtual thread of its own, so that a receiver that hangs does not delay others. A queue keeps the
 * order, so that the end of an alert never overtakes its firing.
 *
 * <p>Start at {@link dev.komainu.central.alert.notify.NoticeDispatcher}.
 *
 * <p>Decision: docs/decisions/0056-alerts.md
 */
@NullMarked
package dev.komainu.central.alert.notify;

import org.jspecify.annotations.NullMarked;
