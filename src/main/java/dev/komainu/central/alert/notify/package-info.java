/**
 * Telling receivers: mail, signed webhooks in Alertmanager's shape, Slack.
 *
 * <p>In: notices, each written down as one delivery a receiver
 * ({@link dev.komainu.central.alert.notify.NoticeDispatcher}, on the alerts' thread). Out: what a
 * receiver got, every attempt with its outcome. Each receiver has a lane and a virtual thread of
 * its own, so that one that hangs delays nobody else; within a lane the order is kept, so that an
 * end never overtakes its beginning.
 *
 * <p>Start at {@link dev.komainu.central.alert.notify.NoticeDispatcher}.
 *
 * <p>Decision: docs/decisions/0056-alerts.md
 */
@NullMarked
package dev.komainu.central.alert.notify;

import org.jspecify.annotations.NullMarked;
