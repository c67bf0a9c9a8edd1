/**
 * Changes that the central service asks for, carried out on this host by an agent that was started
 * to allow it.
 *
 * <p>In: signed orders that came with the answer to a batch; nothing listens here. Out: one outcome
 * an order, as a record. An order names a setting and a value, never a command or a file: where the
 * setting stands, how the server checks its configuration and how it is told comes from discovery.
 * What was replaced is kept, so every order can be undone byte for byte. Thread: one of its own,
 * one order at a time.
 *
 * <p>Start at {@link dev.komainu.agent.order.OrderExecutor}.
 *
 * <p>Decision: docs/decisions/0053-orders-come-with-answers.md
 */
@NullMarked
package dev.komainu.agent.order;

import org.jspecify.annotations.NullMarked;
