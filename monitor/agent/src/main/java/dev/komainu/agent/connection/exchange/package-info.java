/**
 * Requests and their answers, whatever protocol they are told in: times, texts, acknowledgements,
 * failures.
 *
 * <p>In: what the readers of HTTP and TLS find in the streams, and acknowledgements of TCP. Out:
 * events of exchanges to a {@link dev.komainu.agent.connection.tcp.ConnectionListener}, and the
 * exchanges of a connection when its record is written. Thread: a single one, the source's. What
 * may leave the agent is decided here ({@link dev.komainu.agent.connection.exchange.PrivacyRules}).
 *
 * <p>Start at {@link dev.komainu.agent.connection.exchange.OpenExchanges}.
 *
 * <p>Decision: docs/decisions/0087-failing-is-a-state.md
 */
@NullMarked
package dev.komainu.agent.connection.exchange;

import org.jspecify.annotations.NullMarked;
