/**
 * How records are written down: as protobuf batches for the way to the central service
 * ({@code BatchCodec}), one by one for the store ({@code RecordCodec}), and as JSON lines for
 * people and scripts ({@code RecordJson}).
 *
 * <p>In: records, or bytes from anybody. Out: bytes, or records, or one
 * {@code MalformedBatchException} that names the place. Every length and count is checked against
 * {@code WireLimits} before anything is allocated for it. Codecs keep no state between calls and
 * may be used on any thread; a {@code BatchWriter} belongs to one.
 *
 * <p>One class for each message and form ({@code MESSAGEFields}, {@code MESSAGEJson}) is generated
 * from {@code telemetry.proto} (module {@code monitor/codecs}) when the records are compiled.
 *
 * <p>Imports the records, never the reverse. The format's page is
 * {@code docs/formats/telemetry-wire.md}; start at {@link dev.komainu.telemetry.wire.BatchCodec}.
 *
 * <p>Decisions: docs/decisions/0005-telemetry-wire.md,
 * docs/decisions/0095-json-reader-and-writer.md, docs/decisions/0099-generated-record-codecs.md
 */
@NullMarked
package dev.komainu.telemetry.wire;

import org.jspecify.annotations.NullMarked;
