/**
 * The proxy's own small endpoint, on a port of its own: health, metrics, figures, orders. In: HTTP
 * from administrators, Prometheus and the central service. Out: what the last second's figures say.
 * Thread: one of its own, never an event loop. Start at
 * {@link dev.komainu.proxy.control.ControlServer}.
 *
 * <p>Decision: docs/decisions/0096-prometheus-text-pages.md
 */
@NullMarked
package dev.komainu.proxy.control;

import org.jspecify.annotations.NullMarked;
