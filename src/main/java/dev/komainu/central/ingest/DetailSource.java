package dev.komainu.central.ingest;

import java.util.Set;

/**
 * A source of requests for windows by connection, which are sent with the response to a batch.
 * Called for every batch: must be quick. Any thread.
 */
@FunctionalInterface
public interface DetailSource {

    /**
     * Returns the services whose windows are requested by connection, by the source's own names;
     * usually none.
     *
     * @param source name of the telemetry source in the batch
     */
    Set<String> detailedFor(String source);
}
