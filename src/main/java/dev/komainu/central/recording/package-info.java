/**
 * Recordings: the accepted batches with their times of arrival, in rotated files.
 *
 * <p>In: batches that were stored, and the assessment's ticks, on their threads. Out: files of mode
 * 600 below {@code komainu.ingest.recording}, written by one thread; and a reader of such files.
 * Bounded: bytes that wait for the writer, bytes on disk.
 *
 * <p>Start at {@link dev.komainu.central.recording.TelemetryRecorder} and
 * {@link dev.komainu.central.recording.RecordingReader}; the format is described in
 * {@code docs/formats/recording.md}.
 */
@NullMarked
package dev.komainu.central.recording;

import org.jspecify.annotations.NullMarked;
