/**
 * The entrance for telemetry: {@code POST /api/v1/ingest}.
 *
 * <p>In: a batch as bytes, from any client whose token has the scope {@code ingest} (checked before
 * a byte is read). Out: the batch committed in the store, then passed to every
 * {@link dev.komainu.central.ingest.BatchListener}; or a problem that names the sender's next step
 * (keep the batch and retry, or set it aside). Bounded: body, expanded size, concurrent decoders,
 * backlog of the store.
 *
 * <p>Thread: the request's. Start at {@link dev.komainu.central.ingest.IngestController}; the
 * format is described in {@code docs/formats/telemetry-wire.md}.
 *
 * <p>Decision: docs/decisions/0005-telemetry-wire.md
 */
@NullMarked
package dev.komainu.central.ingest;

import org.jspecify.annotations.NullMarked;
