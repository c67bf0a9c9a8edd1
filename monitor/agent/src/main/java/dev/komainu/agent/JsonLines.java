package dev.komainu.agent;

import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.PrintStream;

/** Sink that writes each record as one line of JSON, as {@code analyze --json} does. Any thread. */
final class JsonLines implements RecordSink {

    private final PrintStream out;

    JsonLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void accept(TelemetryRecord record) {
        String line = RecordJson.write(record);
        synchronized (this) {
            out.println(line);
        }
    }

    void flush() {
        out.flush();
    }

    /** Reports whether the output's reader is gone, as when {@code head} has read enough lines. */
    boolean isBroken() {
        return out.checkError();
    }
}
