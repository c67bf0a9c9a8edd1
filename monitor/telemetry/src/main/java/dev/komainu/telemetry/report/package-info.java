/**
 * The transmission to the central service, limited in memory and on disk, with every loss counted.
 *
 * <p>In: records from any thread, through {@code RecordSink.accept}, which never blocks. Out:
 * batches over HTTP, each with its own name, sent again until the central service has confirmed
 * them.
 *
 * <pre>
 *  accept → queue (records) → Batcher → Outbox (memory, else Spool on disk) → BatchSender → POST /api/v1/ingest
 *                                                                                    ↳ Quarantine (poisoned)
 * </pre>
 *
 * <p>Two threads: {@code komainu-batcher} writes batches, {@code komainu-sender} waits for
 * responses. The disk is used only while the central service cannot be reached. The files are
 * described in {@code docs/formats/spool.md}. Start at
 * {@link dev.komainu.telemetry.report.Reporter}.
 *
 * <p>Decision: docs/decisions/0005-telemetry-wire.md
 */
@NullMarked
package dev.komainu.telemetry.report;

import org.jspecify.annotations.NullMarked;
