/**
 * Orders to agents over REST: {@code /orders}, {@code /order-key},
 * {@code /services/{service}/order-prospect}.
 *
 * <p>In: requests that passed the guard. Out: views of orders, and the same views on the stream.
 * Thread: the request's. The publisher runs on the thread of its events.
 *
 * <p>Start at {@link dev.komainu.central.api.order.OrderController}.
 */
@NullMarked
package dev.komainu.central.api.order;

import org.jspecify.annotations.NullMarked;
