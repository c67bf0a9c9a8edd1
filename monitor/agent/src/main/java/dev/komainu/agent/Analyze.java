package dev.komainu.agent;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.summary.CaptureReport;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** ENMA over a capture file: connections, exchanges, windows; for people or, with {@code --json}, for programs. */
@Command(
        name = "analyze",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the file is broken or unreadable; what came before the broken place was written",
            "2:wrong usage"
        },
        description = "Analyses the TCP connections and HTTP exchanges in a capture file (pcap, pcapng).")
public final class Analyze implements Callable<Integer> {

    private static final Duration WINDOW = Duration.ofSeconds(10);

    @Parameters(paramLabel = "FILE", description = "The capture file.")
    Path file = Path.of("");

    @Option(names = "--json", description = "One JSON object for each connection, one on a line.")
    boolean json;

    @Option(names = "--windows", description = "Also one line for each server and 10 seconds.")
    boolean windows;

    @Option(
            names = "--port",
            paramLabel = "N",
            split = ",",
            description =
                    "Only connections to these server ports; also decides who is the server where no SYN was seen.")
    Set<Integer> ports = Set.of();

    @Spec
    CommandSpec spec;

    public static void main(String[] args) {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                false,
                StandardCharsets.UTF_8);
        int code = run(out, System.err, args);
        out.flush();
        System.exit(code);
    }

    /** What {@link #main} does, with streams to choose; returns the exit code. */
    static int run(PrintStream out, PrintStream err, String... args) {
        CommandLine line = new CommandLine(new Analyze());
        line.setOut(new java.io.PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new java.io.PrintWriter(err, true, StandardCharsets.UTF_8));
        Analyze command = line.getCommand();
        command.out = out;
        command.err = err;
        return line.execute(args);
    }

    private PrintStream out = System.out;
    private PrintStream err = System.err;

    @Override
    public Integer call() {
        AnalyzerConfig config = config();
        if (!Files.isRegularFile(file)) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "FILE: " + file + " (expected: an existing capture file)");
        }
        CaptureReport report = json ? null : new CaptureReport();
        int code = 0;
        try (CaptureFile source = new CaptureFile(file);
                CaptureSession session = new CaptureSession(
                        source, config, names(), windows ? WINDOW : null, record -> take(record, report))) {
            try {
                session.run();
            } catch (MalformedCaptureException e) {
                out.flush();
                err.println(e.getMessage());
                code = 1;
            }
            if (report != null) {
                out.print(report.text());
                for (SourceStatus.Drops drops : session.drops()) {
                    out.printf(Locale.ROOT, "left out: %s %d%n", drops.reason(), drops.count());
                }
            }
        } catch (IOException e) {
            err.println("Cannot read " + file + ": " + e.getMessage());
            code = 1;
        }
        out.flush();
        return code;
    }

    private AnalyzerConfig config() {
        try {
            AnalyzerConfig config = AnalyzerConfig.file(ports);
            return ports.isEmpty() ? config : config.withoutUnwatched();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), String.valueOf(e.getMessage()).replace("connection.server-ports", "--port"), e);
        }
    }

    private ServiceNames names() {
        return new ServiceNames() {
            @Override
            public @Nullable String nameOf(Endpoint server) {
                return ports.isEmpty() && !windows || !ports.isEmpty() && !ports.contains(server.port())
                        ? null
                        : server.toString();
            }

            @Override
            public List<String> always() {
                return List.of();
            }
        };
    }

    private void take(TelemetryRecord record, @Nullable CaptureReport report) {
        if (report == null) {
            out.println(RecordJson.write(record instanceof ConnectionRecord it ? unnamed(it) : record));
        } else if (record instanceof ConnectionRecord it) {
            report.add(it);
        } else if (record instanceof ServiceWindow it) {
            out.printf(
                    Locale.ROOT,
                    "%s %s  arrivals %d  ended %d  N_c %.1f (max %d)  requests %d  T_r p50 %d µs  p99 %d µs  dropped %d%n",
                    Instant.ofEpochMilli(it.fromMicros() / 1_000),
                    it.service(),
                    it.arrivals(),
                    it.ended(),
                    it.concurrentMean(),
                    it.concurrentMax(),
                    it.requests(),
                    it.response().toHistogram().getValueAtPercentile(50),
                    it.response().toHistogram().getValueAtPercentile(99),
                    it.droppedPackets());
        }
    }

    /** In a file there are no watched services; their names only serve the windows. */
    private static ConnectionRecord unnamed(ConnectionRecord it) {
        return it.service() == null
                ? it
                : new ConnectionRecord(
                        null,
                        it.client(),
                        it.server(),
                        it.startMicros(),
                        it.endMicros(),
                        it.durationMicros(),
                        it.state(),
                        it.handshake(),
                        it.up(),
                        it.down(),
                        it.transferMicros(),
                        it.exchanges(),
                        it.exchangesLeftOut(),
                        it.tls());
    }
}
