/**
 * The proxy's control endpoint, on a port of its own: health, metrics, statistics, orders.
 *
 * <p>In: HTTP requests of administrators, Prometheus and the central service. Out: pages of the
 * last second's readings. Threads: virtual threads, and the endpoint's own event loop for health.
 * Start at {@link dev.komainu.proxy.control.ControlServer}.
 *
 * <p>Decision: docs/decisions/0110-metrics-by-micrometer.md
 */
@NullMarked
package dev.komainu.proxy.control;

import org.jspecify.annotations.NullMarked;
