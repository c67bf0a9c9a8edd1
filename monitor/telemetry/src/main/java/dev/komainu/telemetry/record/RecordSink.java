package dev.komainu.telemetry.record;

/** Takes records off the hands of whoever made them. */
@FunctionalInterface
public interface RecordSink {

    /**
     * Never blocks and never throws; what cannot be taken is counted as a drop with its reason. Any
     * thread.
     */
    void accept(TelemetryRecord record);
}
