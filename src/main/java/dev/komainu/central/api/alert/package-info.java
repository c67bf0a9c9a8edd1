/**
 * Alerts, alert rules, silences and receivers over REST: {@code /alerts}, {@code /alert-rules},
 * {@code /silences}, {@code /receivers}.
 *
 * <p>In: requests the guard let through; what {@link dev.komainu.central.alert} fires and keeps.
 * Out: views with entity tags, and the same views on the stream. Thread: the request's. The
 * publisher runs on that of its events.
 *
 * <p>Start at {@link dev.komainu.central.api.alert.AlertController}.
 */
@NullMarked
package dev.komainu.central.api.alert;

import org.jspecify.annotations.NullMarked;
