package dev.komainu.telemetry.record;

/** A consumer of records. */
@FunctionalInterface
public interface RecordSink {

    /**
     * Accepts a record. Never throws and, where nothing else is stated, never blocks; a record that
     * cannot be accepted is counted as a drop with its reason. Any thread.
     */
    void accept(TelemetryRecord record);
}
