package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.MalformedCaptureException;
import dev.komainu.telemetry.record.EpochMicros;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The {@code komainu evidence} command: cuts one connection, or the last seconds, out of the files
 * of {@code agent --dump}.
 */
@Command(
        name = "evidence",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Extracts packets from the ring of 'agent --dump FILE' into one capture file.",
        footer = {
            "",
            "One connection, as analyze and the console name it:",
            "  ./komainu evidence ring.pcap --client 10.0.0.7:40112 --server 10.0.0.1:80 --write one.pcap",
            "The last half minute, to be read at once:",
            "  ./komainu evidence ring.pcap --last 30s --write - | tcpdump -nr -",
            "  ./komainu analyze one.pcap --json"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:the files are broken or unreadable, or nothing was found",
            "2:wrong usage"
        })
public final class EvidenceCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "FILE",
            description = "The ring's newest half; FILE.1, if it exists, is read before it.")
    Path file = Path.of("");

    @Option(
            names = "--client",
            paramLabel = "ADDRESS[:PORT]",
            description = "only packets to or from this address")
    @Nullable
    String client;

    @Option(
            names = "--server",
            paramLabel = "ADDRESS[:PORT]",
            description = "only packets to or from this address")
    @Nullable
    String server;

    @Option(
            names = "--last",
            paramLabel = "TIME",
            description = "only this long before the newest packet: 30s, 5m, 1h")
    @Nullable
    String last;

    @Option(
            names = "--from",
            paramLabel = "INSTANT",
            description = "only packets from this instant on, such as 2026-11-21T04:00:00Z")
    @Nullable
    String from;

    @Option(names = "--to", paramLabel = "INSTANT", description = "only packets up to this instant")
    @Nullable
    String to;

    @Option(
            names = "--write",
            paramLabel = "FILE",
            description = "output file; - (default) is standard output",
            defaultValue = "-")
    String write = "-";

    @Spec
    CommandSpec spec;

    private PrintStream err = System.err;
    private OutputStream out = new FileOutputStream(FileDescriptor.out);

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new EvidenceCommand()).execute(arguments));
    }

    /** Runs the command with the given streams; returns the exit code. */
    static int run(OutputStream out, PrintStream err, String... arguments) {
        EvidenceCommand command = new EvidenceCommand();
        command.out = out;
        command.err = err;
        CommandLine line = new CommandLine(command);
        line.setErr(new PrintWriter(err, true, err.charset()));
        return line.execute(arguments);
    }

    // A runtime without the module jdk.internal.le has no console.
    @SuppressWarnings("SystemConsoleNull")
    @Override
    public Integer call() {
        List<String> problems = new ArrayList<>();
        EvidenceFilter.Side one = side("--client", client, problems);
        EvidenceFilter.Side other = side("--server", server, problems);
        long since = instant("--from", from, Long.MIN_VALUE, problems);
        long until = instant("--to", to, Long.MAX_VALUE, problems);
        Duration before = length(problems);
        if (!Files.isRegularFile(file)) {
            problems.add("FILE: " + file + " (expected: a file written by 'agent --dump FILE')");
        }
        if (write.equals("-") && System.console() != null && System.console().isTerminal()) {
            problems.add(
                    "--write: - is a terminal (expected: a file, or a pipe as in: --write - | tcpdump -nr -)");
        }
        if (!problems.isEmpty()) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), String.join(System.lineSeparator(), problems));
        }
        EvidenceReader reader = new EvidenceReader(file);
        try {
            if (before != null) {
                long newest = reader.newestMicros();
                since = newest == Long.MIN_VALUE
                        ? since
                        : Math.max(since, newest - before.toNanos() / 1_000);
            }
            return cut(reader, new EvidenceFilter(one, other, since, until));
        } catch (IOException e) {
            err.println("evidence: " + e.getMessage());
        } catch (MalformedCaptureException e) {
            err.println(e.getMessage());
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    private int cut(EvidenceReader reader, EvidenceFilter filter)
            throws IOException, MalformedCaptureException {
        long count;
        try (OutputStream to = new BufferedOutputStream(
                write.equals("-") ? out : Files.newOutputStream(Path.of(write)), 1 << 16)) {
            count = reader.cut(filter, to);
        }
        MalformedCaptureException broken = reader.cut();
        if (broken != null) {
            err.println("evidence: the last record is not complete yet: " + broken.getMessage());
        }
        err.println("evidence: " + count + " packets");
        return count == 0 ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    private static EvidenceFilter.@Nullable Side side(
            String option, @Nullable String text, List<String> problems) {
        try {
            return text == null ? null : EvidenceFilter.Side.parse(text);
        } catch (IllegalArgumentException e) {
            problems.add(option + ": " + text
                    + " (expected: ADDRESS or ADDRESS:PORT, IPv6 with port in brackets)");
            return null;
        }
    }

    private static long instant(
            String option, @Nullable String text, long otherwise, List<String> problems) {
        try {
            return text == null ? otherwise : EpochMicros.of(Instant.parse(text));
        } catch (DateTimeException | ArithmeticException e) {
            problems.add(
                    option + ": " + text + " (expected: an instant such as 2026-11-21T04:00:00Z)");
            return otherwise;
        }
    }

    private @Nullable Duration length(List<String> problems) {
        if (last == null) {
            return null;
        }
        try {
            Duration length = Duration.parse("PT" + last.strip().toUpperCase(Locale.ROOT));
            if (!length.isNegative() && !length.isZero() && length.toDays() < 10_000) {
                return length;
            }
        } catch (DateTimeException e) {
            // Reported below with the expected form.
        }
        problems.add("--last: " + last + " (expected: a time such as 30s, 5m or 1h)");
        return null;
    }
}
