/**
 * The server's own view: its access log, read as it grows, to stand beside what the packets say
 * (thesis 2.5.2: 550 concurrent connections by the log, 13,000 by the packets).
 *
 * <p>In: log files and the formats they are written in. Out: one
 * {@link dev.komainu.telemetry.record.AccessLogWindow} for each service and ten seconds, told half
 * a minute late because a server logs a request only once it is done. Of a line only its time,
 * duration, status, size and port are looked at; no request, address or user is kept. Thread: the
 * one that polls.
 *
 * <p>Start at {@link dev.komainu.agent.accesslog.ServiceLog}.
 */
@NullMarked
package dev.komainu.agent.accesslog;

import org.jspecify.annotations.NullMarked;
