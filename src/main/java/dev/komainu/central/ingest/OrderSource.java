package dev.komainu.central.ingest;

import java.util.List;

/**
 * The orders that go back to a source with the response to its batch. Called for every batch: must
 * be quick. Any thread.
 */
@FunctionalInterface
public interface OrderSource {

    /** @param source as the batch names itself; signed orders, at most 16, none as a rule */
    List<String> ordersFor(String source);
}
