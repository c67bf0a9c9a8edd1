package dev.komainu.central.ingest;

import dev.komainu.telemetry.record.Batch;

/**
 * A listener for committed batches. Each batch is passed once, a duplicate not again. Every bean of
 * this type is called.
 *
 * <p>Called on the request's thread, so it should be quick; batches of one source come in their
 * order, batches of several sources concurrently. A failure is logged and counted; the sender and
 * the other listeners are not affected. A batch that was committed just before a crash is never
 * passed: data that must be complete is read from the store.
 */
@FunctionalInterface
public interface BatchListener {

    void stored(Batch batch);
}
