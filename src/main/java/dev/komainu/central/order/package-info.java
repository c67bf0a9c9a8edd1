/**
 * Orders: changes of servers that an agent executes for this service, if it was started to allow
 * them.
 *
 * <p>In: the request of an authorized user, with the present value. Out: a signed order for one
 * node, sent with the responses to its agent's batches until the outcome arrives; a recorded change
 * when it was done. One order at a time for each service. Open orders are in the database, so that
 * a restart of this service loses none. Any thread.
 *
 * <p>Start at {@link dev.komainu.central.order.Orders}; {@code docs/formats/telemetry-wire.md}
 * describes the format of an order.
 *
 * <p>Decision: docs/decisions/0053-orders-come-with-answers.md
 */
@NullMarked
package dev.komainu.central.order;

import org.jspecify.annotations.NullMarked;
