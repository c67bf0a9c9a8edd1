package dev.komainu.central.api.order;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.order.Orders;
import org.springframework.stereotype.Component;

/** The publisher of given and ended orders to the event stream. */
@Component
class OrderPublisher {

    OrderPublisher(Orders orders, EventHub hub) {
        orders.addListener(order -> hub.publish("orders", "order", OrderView.of(order)));
    }
}
