/**
 * The metrics that a part publishes at its own {@code GET /metrics}. In: functions over figures
 * that the part counts anyway. Out: a page in Prometheus' text format, written by Micrometer's
 * Prometheus registry. Thread: the one that serves the request; the counting threads do nothing for
 * it. Start at {@link dev.komainu.telemetry.metrics.PublishedMetrics}.
 *
 * <p>Decision: docs/decisions/0110-metrics-by-micrometer.md
 */
@NullMarked
package dev.komainu.telemetry.metrics;

import org.jspecify.annotations.NullMarked;
