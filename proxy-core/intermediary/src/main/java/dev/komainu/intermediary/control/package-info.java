/**
 * What the control endpoints of proxy and organizer have in common: the listener, who may ask what,
 * reading parameters, sending responses and problems (RFC 9457), the reload.
 *
 * <p>In: HTTP from administrators, Prometheus and the central service. Out: a request let through,
 * or refused with its reason. Thread: the endpoint's own, never an event loop. Start at
 * {@link dev.komainu.intermediary.control.ControlAuthorization}.
 *
 * <p>Decision: docs/decisions/0095-json-reader-and-writer.md
 */
@NullMarked
package dev.komainu.intermediary.control;

import org.jspecify.annotations.NullMarked;
