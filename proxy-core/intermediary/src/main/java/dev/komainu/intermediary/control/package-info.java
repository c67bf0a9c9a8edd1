/**
 * The common parts of the control endpoints of proxy and organizer: listener, authorization,
 * parameters, responses and problems (RFC 9457), reload.
 *
 * <p>In: HTTP from administrators, Prometheus and the central service. Out: a request admitted, or
 * rejected with its reason. Threads: an event loop of the endpoint's own for reads, writes and
 * {@code /health}; virtual threads for the pages. Start at
 * {@link dev.komainu.intermediary.control.ControlHttpServer}.
 *
 * <p>Decisions: docs/decisions/0095-json-reader-and-writer.md,
 * docs/decisions/0104-doors-by-netty.md
 */
@NullMarked
package dev.komainu.intermediary.control;

import org.jspecify.annotations.NullMarked;
