package dev.komainu.central.recording;

import dev.komainu.telemetry.record.Batch;

/** An event of a recording. */
public sealed interface RecordedEvent {

    /** Returns the time by the central service's clock, in microseconds since the epoch. */
    long atMicros();

    /**
     * A batch that was accepted.
     *
     * @param repeated whether it repeats facts of an earlier file, so that this file can be read
     *     alone: sightings and status reports
     */
    record Accepted(long atMicros, boolean repeated, Batch batch) implements RecordedEvent {}

    /** A tick of the assessment, after the batches that it read. */
    record Ticked(long atMicros) implements RecordedEvent {}
}
