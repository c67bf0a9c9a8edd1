/**
 * The way to the central service: bounded in memory, bounded on disk, every loss counted.
 *
 * <p>In: records from any thread, through {@code RecordSink.accept}, which never blocks. Out:
 * batches over HTTP, each under a name of its own, sent again until the central service has
 * answered that it has them.
 *
 * <pre>
 *  accept → queue (records) → Batcher → Outbox (memory, else Spool on disk) → Sender → POST /api/v1/ingest
 *                                                                                    ↳ Quarantine (poisoned)
 * </pre>
 *
 * <p>Two threads of its own: {@code komainu-batcher} writes batches, {@code komainu-sender} waits
 * for answers. The disk is touched only while the central service cannot be reached. The files are
 * told in {@code docs/formats/spool.md}; start at {@link dev.komainu.telemetry.report.Reporter}.
 *
 * <p>Decision: docs/decisions/0005-telemetry-wire.md
 */
@NullMarked
package dev.komainu.telemetry.report;

import org.jspecify.annotations.NullMarked;
