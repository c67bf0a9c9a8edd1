/**
 * ENMA's indices (thesis 2.2.2, 2.4.3): the measurements of each service from its packets, window
 * by window.
 *
 * <p>In: the events of the connection analyzer. Out: one {@code ServiceWindow} for each service and
 * window, and the connection records passed through, into one {@code RecordSink}. Thread: the
 * source's. Start at {@link dev.komainu.agent.summary.CaptureSession}, which connects source,
 * decoder, analyzer and windows.
 */
@NullMarked
package dev.komainu.agent.summary;

import org.jspecify.annotations.NullMarked;
