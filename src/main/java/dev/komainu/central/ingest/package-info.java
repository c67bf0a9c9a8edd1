/**
 * The door for telemetry: {@code POST /api/v1/ingest}.
 *
 * <p>In: a batch as bytes, from anybody whose token has the scope {@code ingest} (the guard sees to
 * that before a byte is read). Out: the batch committed in the store, then shown to every
 * {@link dev.komainu.central.ingest.BatchListener}; or one problem that tells the sender what to do
 * (keep and try again, or set aside). Bounded: body, expansion, decoders at work, backlog of the
 * store.
 *
 * <p>Thread: the request's. Start at {@link dev.komainu.central.ingest.IngestController}; the
 * format is told in {@code docs/formats/telemetry-wire.md}.
 *
 * <p>Decision: docs/decisions/0005-telemetry-wire.md
 */
@NullMarked
package dev.komainu.central.ingest;

import org.jspecify.annotations.NullMarked;
