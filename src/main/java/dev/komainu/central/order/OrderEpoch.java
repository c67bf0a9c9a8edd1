package dev.komainu.central.order;

/**
 * The epoch with which this service signs orders. An agent that has accepted an order of a newer
 * epoch refuses those of this one.
 *
 * @param number epoch of the lease, plus {@code komainu.orders.epoch-offset}; 0: orders have none
 */
public record OrderEpoch(long number) {

    /** The epoch of a service that shares its control data with none. */
    public static final OrderEpoch NONE = new OrderEpoch(0);
}
