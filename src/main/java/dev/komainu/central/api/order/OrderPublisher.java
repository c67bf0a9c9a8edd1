package dev.komainu.central.api.order;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.order.Orders;
import org.springframework.stereotype.Component;

/** Tells the stream of orders given and ended. */
@Component
class OrderPublisher {

    OrderPublisher(Orders orders, EventHub hub) {
        orders.listen(order -> hub.publish("orders", "order", OrderView.of(order)));
    }
}
