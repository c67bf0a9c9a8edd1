package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;

/**
 * Learns of each batch once, after it was committed; a duplicate is not shown again. Every bean of
 * this type is called.
 *
 * <p>Called on the request's thread, so it should be quick; batches of one source come in their
 * order, batches of several sources at the same time. A failure is logged and counted, and touches
 * neither the sender nor the other listeners. A batch that was committed just before a crash is
 * never shown: what must be complete is read from the store.
 */
@FunctionalInterface
public interface BatchListener {

    void stored(Batch batch);
}
