package dev.komainu.central.sweep;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.state.RuleSet;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.LoggerFactory;

/**
 * The command {@code ./komainu bench thresholds}: sweeps every threshold over recordings.
 *
 * <pre>
 *  exit code  meaning
 *  0          done
 *  1          done, but the columns gave other states than the replay
 *  2          wrong usage
 *  3          a recording or its expected states cannot be read
 * </pre>
 */
public final class ThresholdSweep {

    private final PrintStream out;
    private final PrintStream err;
    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final RuleSet ruleSet = RuleSet.load(catalogue);
    private final List<SweptMark> marks = SweptMark.all(ruleSet, catalogue);

    ThresholdSweep(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) throws InterruptedException {
        if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger logger) {
            logger.setLevel(Level.ERROR);
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        System.exit(new ThresholdSweep(out, err).run(arguments));
    }

    int run(String... arguments) throws InterruptedException {
        Path to = null;
        String head = "";
        boolean complete = false;
        int threads = Runtime.getRuntime().availableProcessors();
        List<Path> recordings = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("--complete")) {
                complete = true;
            } else if (argument.matches("--(out|head|threads)") && i + 1 < arguments.length) {
                String value = arguments[++i];
                switch (argument) {
                    case "--out" -> to = Path.of(value);
                    case "--head" -> head = value + "\n";
                    default -> threads = value.matches("[1-9][0-9]?") ? Integer.parseInt(value) : 0;
                }
            } else if (argument.startsWith("--")) {
                return misuse(argument + ": (expected: --out DIR, --threads N, --complete)");
            } else {
                recordings.add(Path.of(argument));
            }
        }
        if (to == null || recordings.isEmpty() || threads == 0) {
            return misuse("(expected: --out DIR [--threads 1 to 99] [--complete] RECORDING …)");
        }
        try {
            return sweep(recordings, to, head, complete, threads);
        } catch (IOException e) {
            err.println("bench thresholds: " + e.getMessage());
            return 3;
        }
    }

    private int misuse(String message) {
        err.println("bench thresholds: " + message);
        return 2;
    }

    private int sweep(List<Path> recordings, Path to, String head, boolean complete, int threads)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        SweepParts parts = new SweepParts(to, ruleSet);
        RecordingSweep sweep = new RecordingSweep(ruleSet, catalogue, marks, complete);
        List<List<SweepRow>> rows = new ArrayList<>();
        // Two pools: a recording waits for its services.
        try (ExecutorService eachRecording = Executors.newFixedThreadPool(threads);
                ExecutorService eachService = Executors.newFixedThreadPool(threads)) {
            List<Future<List<SweepRow>>> running = new ArrayList<>();
            for (Path recording : recordings) {
                running.add(eachRecording.submit(() -> part(recording, parts, sweep, eachService)));
            }
            for (Future<List<SweepRow>> each : running) {
                rows.add(each.get());
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
        String cost = String.format(
                Locale.ROOT,
                "Cost: %d thresholds with %d factors over %d recordings; %,d judgements of a second; %.0f s on %d threads, %.0f s of CPU.%n",
                marks.size(),
                SweptMark.FACTORS.size(),
                recordings.size(),
                sweep.judgements(),
                (System.nanoTime() - begun) / 1e9,
                threads,
                cpuSeconds());
        SweepReport report = new SweepReport(Curve.of(marks, rows));
        Files.createDirectories(to);
        report.write(to, head + cost);
        out.print(report.summary());
        out.print(cost);
        if (sweep.differences() > 0) {
            err.println(
                    "bench thresholds: in " + sweep.differences()
                            + " seconds the columns gave another state than the replay; the result is not exact");
            return 1;
        }
        return 0;
    }

    private static double cpuSeconds() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime() / 1e9
                : 0;
    }

    private List<SweepRow> part(
            Path recording, SweepParts parts, RecordingSweep sweep, ExecutorService threads)
            throws IOException, InterruptedException {
        List<SweepRow> rows = parts.find(recording);
        if (rows == null) {
            rows = sweep.run(recording, threads);
            parts.keep(recording, rows);
            out.println(recording + ": done");
        } else {
            out.println(recording + ": done before");
        }
        return rows;
    }
}
