package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;
import java.util.Map;

/**
 * A source of judgements on the servers that a batch names; they are sent with the response. Called
 * for every batch: must be quick. Any thread.
 */
@FunctionalInterface
public interface JudgementSource {

    /**
     * Returns the judgements for a batch.
     *
     * @return labels of states, by the address that the batch names; usually empty
     */
    Map<String, String> judgedFor(Batch batch);
}
