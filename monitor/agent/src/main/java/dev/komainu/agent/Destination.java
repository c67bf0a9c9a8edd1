package dev.komainu.agent;

import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.summary.WindowRollUp;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import dev.komainu.telemetry.report.ReporterStatus;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Destination of records: standard output, the central service, or both. Any thread may pass
 * records.
 */
final class Destination implements RecordSink, AutoCloseable {

    /** Longest wait of a stop; records not sent by then wait in the spool. */
    private static final Duration DRAIN = Duration.ofSeconds(1);

    private final @Nullable JsonLines lines;
    private final @Nullable WindowRollUp printed;
    private final @Nullable Reporter reporter;

    private Destination(@Nullable JsonLines lines, Duration window, @Nullable Reporter reporter) {
        this.lines = lines;
        this.printed = lines == null ? null : new WindowRollUp(window, lines);
        this.reporter = reporter;
    }

    /**
     * Creates the destination.
     *
     * @param identity its certificate is shown to the central service; absent: the token is sent
     * @throws IOException when the spool's directory cannot be used
     */
    static Destination of(AgentSettings settings, @Nullable PartIdentity identity)
            throws IOException {
        JsonLines lines = null;
        if (settings.print()) {
            lines = new JsonLines(new PrintStream(
                    new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
        }
        CentralAddresses central = settings.central();
        Reporter reporter = null;
        if (central != null) {
            ReporterSettings reporting = ReporterSettings.of(
                            central,
                            settings.tokenFile(),
                            settings.names().source(),
                            settings.data())
                    .withAuthorities(settings.authorityFile());
            reporter = new Reporter(
                    reporting.withTimeouts(
                            reporting.requestTimeout(),
                            reporting.retryFirst(),
                            reporting.retryMost(),
                            DRAIN),
                    identity);
        }
        return new Destination(lines, settings.printWindow(), reporter);
    }

    @Override
    public void accept(TelemetryRecord record) {
        accept(record, reporter);
    }

    private void accept(TelemetryRecord record, @Nullable RecordSink reported) {
        // Parts are for the central service only.
        if (printed != null && !(record instanceof WindowParts)) {
            printed.accept(record);
        }
        if (reported != null) {
            reported.accept(record);
        }
    }

    /**
     * Returns the destination for the thread that reads packets: a burst of connections waits in
     * the kernel's ring when records cannot be batched as fast.
     */
    RecordSink ofPackets() {
        RecordSink reported = reporter == null ? null : reporter.patient();
        return record -> accept(record, reported);
    }

    /** Sets the listener of {@link Reporter#onCentralRestart}. */
    void onNewCentre(Runnable listener) {
        if (reporter != null) {
            reporter.onCentralRestart(listener);
        }
    }

    /** Sets the listener of {@link Reporter#onOrders}. */
    void onOrders(Consumer<List<String>> listener) {
        if (reporter != null) {
            reporter.onOrders(listener);
        }
    }

    /** Sets the listener of {@link Reporter#onDetailed}. */
    void onDetailed(Consumer<Set<String>> listener) {
        if (reporter != null) {
            reporter.onDetailed(listener);
        }
    }

    /** Returns the counts of records left out since the start, by reason. */
    List<SourceStatus.Drops> drops() {
        if (reporter == null) {
            return List.of();
        }
        return reporter.drops().entrySet().stream()
                .map(entry -> new SourceStatus.Drops(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Returns the reporter's counts; null without a central service. */
    @Nullable
    ReporterStatus status() {
        return reporter == null ? null : reporter.status();
    }

    /** Returns the reason why reporting fails now; null while it works. */
    @Nullable
    String trouble() {
        return reporter == null ? null : reporter.status().lastTrouble();
    }

    /** Reports whether the reader of standard output is gone. */
    boolean isBroken() {
        return lines != null && lines.isBroken();
    }

    @Override
    public void close() {
        if (reporter != null) {
            reporter.close();
        }
        if (lines != null && printed != null) {
            printed.flush();
            lines.flush();
        }
    }
}
