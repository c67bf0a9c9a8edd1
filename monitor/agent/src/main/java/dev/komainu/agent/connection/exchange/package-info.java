/**
 * Requests and their responses, independent of the protocol that carries them: times, texts,
 * acknowledgements, failures.
 *
 * <p>In: exchanges found by the readers of HTTP and TLS in the streams, and acknowledgements of
 * TCP. Out: events of exchanges to a {@link dev.komainu.agent.connection.tcp.ConnectionListener},
 * and the exchanges of a connection when its record is written. Thread: a single one, the source's.
 * {@link dev.komainu.agent.connection.exchange.PrivacyRules} decides which data may leave the
 * agent.
 *
 * <p>Start at {@link dev.komainu.agent.connection.exchange.OpenExchanges}.
 *
 * <p>Decision: docs/decisions/0087-failing-is-a-state.md
 */
@NullMarked
package dev.komainu.agent.connection.exchange;

import org.jspecify.annotations.NullMarked;
