/**
 * The encodings of records: protobuf batches for the transmission to the central service
 * ({@code BatchCodec}), single records for the store ({@code RecordCodec}), and JSON lines for
 * people and scripts ({@code RecordJson}).
 *
 * <p>In: records, or untrusted bytes. Out: bytes, or records, or one
 * {@code MalformedBatchException} that names the position. Every length and count is checked
 * against {@code WireLimits} before anything is allocated for it. Codecs keep no state between
 * calls and may be used on any thread; a {@code BatchWriter} belongs to one.
 *
 * <p>This package imports the records, never the reverse. The format is described in
 * {@code docs/formats/telemetry-wire.md}. Start at {@link dev.komainu.telemetry.wire.BatchCodec}.
 *
 * <p>Decisions: docs/decisions/0005-telemetry-wire.md,
 * docs/decisions/0095-json-reader-and-writer.md
 */
@NullMarked
package dev.komainu.telemetry.wire;

import org.jspecify.annotations.NullMarked;
