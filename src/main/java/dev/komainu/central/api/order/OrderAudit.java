package dev.komainu.central.api.order;

import dev.komainu.central.access.Audit;
import dev.komainu.central.order.Orders;
import org.springframework.stereotype.Component;

/**
 * The entries of the audit log about orders that an agent refused because of their epoch: either
 * two services sign with one key, or an order is replayed.
 */
@Component
class OrderAudit {

    OrderAudit(Orders orders, Audit audit) {
        orders.onOlderEpoch(refused -> audit.refusedBy(
                refused.source(), "order.refused", refused.subject(), refused.detail()));
    }
}
