/**
 * Orders to agents over REST: {@code /orders}, {@code /order-key},
 * {@code /services/{service}/order-prospect}.
 *
 * <p>In: requests the guard let through. Out: views of orders, and the same views on the stream.
 * Thread: the request's. The publisher runs on that of its events.
 *
 * <p>Start at {@link dev.komainu.central.api.order.OrderController}.
 */
@NullMarked
package dev.komainu.central.api.order;

import org.jspecify.annotations.NullMarked;
