package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;
import java.util.Map;

/**
 * The judgements on the servers that a batch names; they go back with the response. Called for
 * every batch: must be quick. Any thread.
 */
@FunctionalInterface
public interface JudgementSource {

    /** @return labels of states, by the address that the batch names; none as a rule */
    Map<String, String> judgedFor(Batch batch);
}
