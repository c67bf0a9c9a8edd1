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
}
