package dev.komainu.agent;

import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where records go: standard output, the central service, or both. Any thread may hand records over. */
final class Destination implements RecordSink, AutoCloseable {

    private final @Nullable JsonLines lines;

    private Destination(@Nullable JsonLines lines) {
        this.lines = lines;
    }

    static Destination of(AgentSettings settings) {
        JsonLines lines = null;
        if (settings.print()) {
            lines = new JsonLines(
                    new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        }
        return new Destination(lines);
    }

    @Override
    public void accept(TelemetryRecord record) {
        if (lines != null) {
            lines.accept(record);
        }
    }

    /** What was left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        return List.of();
    }

    /** Whether nobody takes records any more. */
    boolean isBroken() {
        return lines != null && lines.isBroken();
    }

    @Override
    public void close() {
        if (lines != null) {
            lines.isBroken();
        }
    }
}
