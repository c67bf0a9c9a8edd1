/**
 * Changes that this service has carried out on servers: by an agent that was started to allow it.
 *
 * <p>In: a wish of somebody who may, with the value that stands there now. Out: a signed order for
 * one node, handed over with the answers to its agent's batches until the outcome arrives; a
 * recorded change when it was done. One order at a time for each service. What is open is in the
 * database: a restart of this service loses nothing. Any thread.
 *
 * <p>Start at {@link dev.komainu.central.order.Orders}; {@code docs/formats/telemetry-wire.md}
 * tells how an order looks.
 *
 * <p>Decision: docs/decisions/0053-orders-come-with-answers.md
 */
@NullMarked
package dev.komainu.central.order;

import org.jspecify.annotations.NullMarked;
