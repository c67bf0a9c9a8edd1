package dev.komainu.agent;

import dev.komainu.agent.accesslog.AccessLogExcerpt;
import dev.komainu.agent.accesslog.LogLinePattern;
import dev.komainu.agent.accesslog.UnreadableFormatException;
import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.connection.exchange.PrivacyRules;
import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.agent.summary.CaptureReport;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.ProductVersion;
import dev.komainu.telemetry.wire.JsonBytes;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code analyze} command: ENMA over a capture file. Prints connections, exchanges and windows,
 * for an operator or, with {@code --json}, for programs.
 */
public final class Analyze {

    private static final int FLUSH_BYTES = 1 << 16;

    private final AnalyzeArguments arguments;
    private final PrintStream out;
    private final PrintStream err;
    private final CaptureReport report = new CaptureReport();
    private final JsonBytes json = new JsonBytes();
    private final CsvLines csv = new CsvLines();
    private @Nullable CaptureFile source;

    private Analyze(AnalyzeArguments arguments, PrintStream out, PrintStream err) {
        this.arguments = arguments;
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), FLUSH_BYTES),
                false,
                StandardCharsets.UTF_8);
        int code = run(out, System.err, args);
        out.flush();
        if (code != 0) {
            // Only on failure: a call of exit first checks whether its event is to be logged.
            System.exit(code);
        }
    }

    /** Runs the command with the given streams; returns the exit code. */
    static int run(PrintStream out, PrintStream err, String... args) {
        List<String> words = List.of(args);
        if (words.contains("--help") || words.contains("-h")) {
            out.print(AnalyzeArguments.HELP);
            return 0;
        }
        if (words.contains("--version") || words.contains("-V")) {
            out.println(ProductVersion.text());
            return 0;
        }
        try {
            return new Analyze(AnalyzeArguments.parse(args), out, err).run();
        } catch (AnalyzeArguments.WrongUsage e) {
            err.println(e.getMessage());
            err.println("See analyze --help");
            return 2;
        }
    }

    private int run() throws AnalyzeArguments.WrongUsage {
        AnalyzerConfig config = AnalyzerConfig.file(arguments.ports()).withPrivacy(privacy());
        AnalyzerConfig watched = arguments.ports().isEmpty() ? config : config.withoutUnwatched();
        begin();
        int code = 0;
        try (CaptureFile source = new CaptureFile(arguments.file());
                CaptureSession session = new CaptureSession(
                        source, watched, names(), arguments.windows(), this::handle)) {
            this.source = source;
            try {
                follow(source, session);
            } catch (MalformedCaptureException e) {
                flush();
                err.println(e.getMessage());
                code = 1;
            }
            if (arguments.format() == AnalyzeArguments.Format.SUMMARY) {
                out.print(report.text());
                for (SourceStatus.Drops drops : session.drops()) {
                    out.printf(Locale.ROOT, "left out: %s %d%n", drops.reason(), drops.count());
                }
            }
        } catch (IOException e) {
            err.println("Cannot read " + arguments.file() + ": " + e.getMessage());
            code = 1;
        }
        flush();
        Path log = arguments.accessLog();
        return code == 0 && log != null ? compare(log) : code;
    }

    /** Returns the privacy rules. A summary contains no target, so none is kept. */
    private PrivacyRules privacy() {
        return arguments.format() == AnalyzeArguments.Format.SUMMARY
                ? new PrivacyRules(arguments.privacy().maskClients(), PrivacyRules.Targets.NONE)
                : arguments.privacy();
    }

    /** Reads the capture a second time, for the windows to compare with the log. */
    private int compare(Path log) throws AnalyzeArguments.WrongUsage {
        String formatName = arguments.logFormat();
        try {
            LogLinePattern format = formatName == null
                    ? AccessLogExcerpt.recognise(log)
                    : LogLinePattern.compile(formatName);
            LogComparison comparison =
                    LogComparison.of(arguments.file(), arguments.ports(), log, format);
            out.println(
                    arguments.format() == AnalyzeArguments.Format.JSON
                            ? comparison.json()
                            : comparison.text());
            return 0;
        } catch (UnreadableFormatException e) {
            throw new AnalyzeArguments.WrongUsage(List.of("--log-format: "
                    + (formatName == null ? "missing" : formatName) + " (" + e.getMessage() + ")"));
        } catch (IOException | MalformedCaptureException e) {
            err.println("Cannot compare " + log + ": " + e.getMessage());
            return 1;
        }
    }

    private void follow(CaptureFile source, CaptureSession session)
            throws IOException, MalformedCaptureException {
        boolean lines = arguments.format() != AnalyzeArguments.Format.SUMMARY
                || arguments.windows() != null;
        if (!ProgressBar.isTerminal(2) || (lines && ProgressBar.isTerminal(1))) {
            session.run();
            return;
        }
        try (ProgressBar bar = new ProgressBar(err, source::position, source.size())) {
            session.run();
        }
    }

    private void begin() {
        if (arguments.format() == AnalyzeArguments.Format.CSV) {
            out.print(arguments.windows() == null ? CsvLines.CONNECTIONS : CsvLines.WINDOWS);
        }
    }

    private ServiceNames names() {
        return new ServiceNames() {
            @Override
            public @Nullable String nameOf(Endpoint server) {
                Set<Integer> ports = arguments.ports();
                return (ports.isEmpty() && arguments.windows() == null)
                                || (!ports.isEmpty() && !ports.contains(server.port()))
                        ? null
                        : server.toString();
            }

            @Override
            public List<String> always() {
                return List.of();
            }
        };
    }

    private void handle(TelemetryRecord record) {
        switch (arguments.format()) {
            case JSON -> {
                RecordJson.append(
                        record instanceof ConnectionRecord connection
                                ? unnamed(connection)
                                : record,
                        json);
                json.endLine();
                if (json.length() > FLUSH_BYTES) {
                    flush();
                }
            }
            case CSV -> {
                if (record instanceof ServiceWindow window) {
                    out.print(csv.window(window));
                } else if (record instanceof ConnectionRecord connection
                        && arguments.windows() == null) {
                    out.print(csv.connection(connection));
                }
            }
            case SUMMARY -> {
                if (record instanceof ConnectionRecord connection) {
                    report.add(connection);
                } else if (record instanceof ServiceWindow window) {
                    out.println(CaptureReport.line(window));
                }
            }
        }
    }

    /**
     * Stops reading when the output's reader is gone, as when {@code head} has read enough lines.
     */
    private void flush() {
        try {
            json.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a PrintStream does not throw", e);
        }
        json.clear();
        CaptureFile reading = source;
        if (out.checkError() && reading != null) {
            reading.stop();
        }
    }

    /**
     * Returns the record without its service: a file has no watched services; their names only
     * serve the windows.
     */
    private static ConnectionRecord unnamed(ConnectionRecord record) {
        return record.service() == null
                ? record
                : new ConnectionRecord(
                        null,
                        record.client(),
                        record.server(),
                        record.times(),
                        record.state(),
                        record.handshake(),
                        record.up(),
                        record.down(),
                        record.exchanges(),
                        record.exchangesLeftOut(),
                        record.tls());
    }
}
