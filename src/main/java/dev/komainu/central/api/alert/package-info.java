/**
 * Alerts, alert rules, silences and receivers over REST: {@code /alerts}, {@code /alert-rules},
 * {@code /silences}, {@code /receivers}.
 *
 * <p>In: requests that passed the guard; the alerts, rules, silences and receivers of
 * {@link dev.komainu.central.alert}. Out: views with entity tags, and the same views on the stream.
 * Thread: the request's. The publisher runs on the thread of its events.
 *
 * <p>Start at {@link dev.komainu.central.api.alert.AlertController}.
 */
@NullMarked
package dev.komainu.central.api.alert;

import org.jspecify.annotations.NullMarked;
