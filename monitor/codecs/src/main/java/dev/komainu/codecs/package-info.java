/**
 * The generator of the record codecs, an annotation processor of the build of
 * {@code monitor/telemetry}.
 *
 * <p>In: {@code telemetry.proto} and the records that javac compiles. Out: one class for the binary
 * form and one for the JSON form of each message, in {@code dev.komainu.telemetry.wire}. A
 * difference between a message and its record is a compile error that names both.
 *
 * <p>Runs in javac only; no program has it on its class path. Start at
 * {@link dev.komainu.codecs.CodecProcessor}.
 *
 * <p>Decision: docs/decisions/0099-generated-record-codecs.md
 */
@NullMarked
package dev.komainu.codecs;

import org.jspecify.annotations.NullMarked;
