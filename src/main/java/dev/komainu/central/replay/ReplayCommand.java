package dev.komainu.central.replay;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.recording.RecordingReader;
import dev.komainu.central.recording.ServiceExtract;
import dev.komainu.central.recording.WindowCopy;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.RulesByService;
import dev.komainu.central.state.StateModel;
import dev.komainu.central.state.Transition;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The command {@code ./komainu replay RECORDING}.
 *
 * <pre>
 *  exit code  meaning
 *  0          the whole recording was judged
 *  1          judged, but blocks of it are damaged
 *  2          wrong usage, or a mistake in the thresholds
 *  3          no recording
 * </pre>
 */
public final class ReplayCommand {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** Window of the printed values; the one that most conditions have. */
    private static final int VALUE_SECONDS = 10;

    private final PrintStream out;
    private final PrintStream err;
    private final Set<String> services = new HashSet<>();
    private long ticks;
    private long changes;

    ReplayCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger logger) {
            logger.setLevel(Level.WARN);
        }
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        int code = new ReplayCommand(out, err).run(arguments);
        out.flush();
        System.exit(code);
    }

    int run(String... arguments) {
        ReplayOptions options;
        RulesByService rules;
        IndexCatalogue catalogue = new IndexCatalogue();
        RuleSet ruleSet = RuleSet.load(catalogue);
        try {
            options = ReplayOptions.of(arguments);
            rules = options.thresholds() == null
                    ? ruleSet
                    : TriedThresholds.read(options.thresholds(), ruleSet, catalogue);
            checkNames(options.values(), catalogue);
        } catch (ReplayOptions.WrongOptionException | IOException e) {
            err.println("replay: " + e.getMessage());
            return 2;
        }
        Path recording = options.recording();
        if (recording == null) {
            out.print(ReplayOptions.HELP);
            return 0;
        }
        try {
            if (options.windowsTo() != null) {
                return copy(recording, options.windowsTo());
            }
            if (options.extractTo() != null && options.service() != null) {
                return extract(recording, options.service(), options.extractTo(), options);
            }
            RecordedCentre centre = new RecordedCentre(catalogue, new StateModel(ruleSet, rules));
            if (!options.values().isEmpty()) {
                centre.listenToInputs((profile, view, presence, held) -> {
                    if (profile.id().equals(options.service())) {
                        print(view, options.values());
                    }
                });
            }
            return judge(recording, options.service(), centre);
        } catch (IOException e) {
            err.println("replay: " + e.getMessage());
            return 3;
        }
    }

    private static void checkNames(List<String> values, IndexCatalogue catalogue)
            throws ReplayOptions.WrongOptionException {
        for (String name : values) {
            if (!catalogue.contains(name)) {
                throw new ReplayOptions.WrongOptionException(
                        "--values: " + name + " (expected: names of indices)");
            }
        }
    }

    private void print(MeasurementView view, List<String> values) {
        StringBuilder line = new StringBuilder(TIME.format(Instant.ofEpochSecond(view.second())));
        for (String name : values) {
            line.append("  ").append(name).append(' ');
            line.append(String.format(Locale.ROOT, "%.4g", view.now(name, VALUE_SECONDS)));
        }
        out.println(line);
    }

    private int judge(Path recording, @Nullable String only, RecordedCentre centre)
            throws IOException {
        RecordingReader reader = new RecordingReader(recording);
        centre.listen(assessment -> print(assessment, only));
        reader.read(centre::accept);
        out.printf(
                Locale.ROOT,
                "%d seconds, %d services, %d changes of state%n",
                ticks,
                services.size(),
                changes);
        return damage(reader.damaged());
    }

    private void print(Assessment assessment, @Nullable String only) {
        ticks++;
        assessment.services().forEach(service -> services.add(service.profile().id()));
        for (Transition transition : assessment.transitions()) {
            if (only == null || only.equals(transition.service())) {
                changes++;
                print(assessment, transition);
            }
        }
    }

    private void print(Assessment assessment, Transition transition) {
        out.println(TIME.format(assessment.at()) + "  " + transition.service() + "  "
                + transition.from().label() + " -> " + transition.to().label() + "  "
                + transition.rule());
        out.println("    " + transition.cause().en());
        for (Evidence evidence : transition.evidence()) {
            String source = evidence.thresholdSource();
            out.println(
                    "    - " + evidence.text().en() + (source == null ? "" : " (" + source + ")"));
        }
    }

    private int copy(Path recording, Path to) throws IOException {
        RecordingReader reader = new RecordingReader(recording);
        try (WindowCopy copy = new WindowCopy(to)) {
            reader.read(copy::accept);
        }
        return damage(reader.damaged());
    }

    private int extract(Path recording, String service, Path to, ReplayOptions options)
            throws IOException {
        return damage(ServiceExtract.write(
                recording,
                new ServiceExtract.Part(
                        service, (long) (options.from() * 1e6), (long) (options.until() * 1e6)),
                to));
    }

    private int damage(long blocks) {
        if (blocks > 0) {
            err.println("replay: " + blocks
                    + " blocks of the recording are damaged or cut off; the rest was read");
            return 1;
        }
        return 0;
    }
}
