/**
 * Access logs of servers, read as they grow, for comparison with the packets (thesis 2.5.2: 550
 * concurrent connections by the log, 13,000 by the packets).
 *
 * <p>In: log files and their formats. Out: one {@link dev.komainu.telemetry.record.AccessLogWindow}
 * for each service and ten seconds, reported half a minute late because a server logs a request
 * only when it has ended. Of a line only the time, duration, status, size and port are read; no
 * request, address or user is kept. Thread: the polling thread.
 *
 * <p>Start at {@link dev.komainu.agent.accesslog.ServiceLog}.
 */
@NullMarked
package dev.komainu.agent.accesslog;

import org.jspecify.annotations.NullMarked;
