/**
 * Changes requested by the central service, carried out on this host by an agent whose settings
 * allow them.
 *
 * <p>In: signed orders from the response to a batch; the agent listens on no port for them. Out:
 * one outcome per order, as a record. An order names a setting and a value, never a command or a
 * file: discovery determines the place of the setting, the check of the configuration and the way
 * to activate it. Replaced content is kept, so every order can be undone byte for byte. Thread: a
 * separate one, one order at a time.
 *
 * <p>Start at {@link dev.komainu.agent.order.OrderExecutor}.
 *
 * <p>Decision: docs/decisions/0053-orders-come-with-answers.md
 */
@NullMarked
package dev.komainu.agent.order;

import org.jspecify.annotations.NullMarked;
