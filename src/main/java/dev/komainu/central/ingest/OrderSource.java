package dev.komainu.central.ingest;

import java.util.List;

/**
 * A source of orders that are sent to a source of telemetry with the response to its batch. Called
 * for every batch: must be quick. Any thread.
 */
@FunctionalInterface
public interface OrderSource {

    /**
     * Returns signed orders, at most 16; usually none.
     *
     * @param source name of the telemetry source in the batch
     */
    List<String> ordersFor(String source);

    /**
     * Reports whether an order was given to another source, so that this one may not report its
     * outcome. An unknown order is no source's.
     *
     * @param order code of the order
     */
    default boolean isOfAnother(String source, String order) {
        return false;
    }
}
