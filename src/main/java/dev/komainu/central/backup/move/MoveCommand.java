package dev.komainu.central.backup.move;

import ch.qos.logback.classic.Level;
import dev.komainu.central.backup.move.ControlMove.MovedTable;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.store.DayMove;
import dev.komainu.central.store.DayMove.MovedDay;
import dev.komainu.central.store.StoreException;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.file.ProcessUmask;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command for a move.
 *
 * <pre>
 *  --data DIR --to jdbc:postgresql:… [--user NAME] [--password-file FILE]  the control data
 *  --data DIR --to http(s)://… [--user NAME] [--password-file FILE] [--ca-file FILE] [--cluster NAME]  the days
 *  --data DIR --from http(s)://… [--user NAME] [--password-file FILE] [--ca-file FILE] [--cluster NAME]  the days, back
 *
 *  exit code  meaning
 *  0          the other side has everything; both are equal
 *  1          it has not; the reason is printed, and nothing was changed on this side
 *  2          wrong usage
 * </pre>
 */
public final class MoveCommand {

    private static final String USAGE =
            "expected: --data DIR --to jdbc:postgresql://HOST/DATABASE, or --to or --from"
                    + " http(s)://HOST/DATABASE [--user NAME] [--password-file FILE] [--ca-file FILE] [--cluster NAME]";

    /** Settings of the central service that the options stand for, for control data. */
    private static final Map<String, String> OF_CONTROL_DATA = Map.of(
            "--to", "komainu.control.url",
            "--user", "komainu.control.user",
            "--password-file", "komainu.control.password-file");

    /** The same for days. */
    private static final Map<String, String> OF_DAYS = Map.of(
            "--to", "komainu.records.url",
            "--from", "komainu.records.url",
            "--user", "komainu.records.user",
            "--password-file", "komainu.records.password-file",
            "--ca-file", "komainu.records.ca-file",
            "--cluster", "komainu.records.cluster");

    private final PrintStream out;
    private final PrintStream err;

    MoveCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        ProcessUmask.set(ProcessUmask.OWNER_ONLY);
        silence(Logger.ROOT_LOGGER_NAME, Level.WARN);
        // H2 is newer than Flyway was tried with; our tests try it.
        silence("org.flywaydb.core.internal.database.base", Level.ERROR);
        System.exit(new MoveCommand(System.out, System.err).run(arguments));
    }

    private static void silence(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof ch.qos.logback.classic.Logger logger) {
            logger.setLevel(level);
        }
    }

    int run(String... arguments) {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String option = arguments[i];
            boolean isKnown = option.equals("--data") || OF_DAYS.containsKey(option);
            if (i + 1 == arguments.length || !isKnown || options.containsKey(option)) {
                return misuse(option);
            }
            options.put(option, arguments[i + 1]);
        }
        String data = options.remove("--data");
        String to = options.get("--to");
        if (data == null || (to == null) == !options.containsKey("--from")) {
            return misuse("no --data, or not one of --to and --from");
        }
        boolean isOfDays = to == null || to.startsWith("http");
        Map<String, String> settings = new HashMap<>();
        for (Map.Entry<String, String> option : options.entrySet()) {
            String setting = (isOfDays ? OF_DAYS : OF_CONTROL_DATA).get(option.getKey());
            if (setting == null) {
                return misuse(option.getKey());
            }
            settings.put(setting, option.getValue());
        }
        try {
            Path directory = Path.of(data).toAbsolutePath().normalize();
            SettingReader reader = new SettingReader(List.of(SettingSource.commandLine(settings)));
            if (isOfDays) {
                ClickHouseSettings server = ClickHouseSettings.read(reader);
                reader.finish();
                return moveDays(directory, to == null, server, settings);
            }
            ControlDataSettings target = ControlDataSettings.read(reader);
            reader.finish();
            List<MovedTable> tables = new ControlMove(directory, target, out::println).run();
            report(tables, directory, settings);
            return 0;
        } catch (SettingMistakesException | StoreException | IOException e) {
            err.println("move: " + e.getMessage());
            return 1;
        }
    }

    private int moveDays(
            Path data, boolean isBack, ClickHouseSettings server, Map<String, String> settings) {
        StoreSettings files = StoreSettings.of(data.resolve("telemetry"));
        List<MovedDay> days = isBack
                ? DayMove.toFiles(server, files, out::println)
                : DayMove.toClickHouse(files, server, out::println);
        out.println(
                "day         batches here  there       records here  there       sum here          there");
        for (MovedDay day : days) {
            out.println(String.format(
                    Locale.ROOT,
                    "%s  %-12d  %-10d  %-12d  %-10d  %s  %s",
                    day.day(),
                    day.here().batches(),
                    day.there().batches(),
                    day.here().records(),
                    day.there().records(),
                    day.here().sum(),
                    day.there().sum()));
        }
        long differing = days.stream().filter(day -> !day.isEqual()).count();
        if (differing > 0) {
            err.println("move: " + differing + " days differ (expected: equal ones; repeat the"
                    + " command, with the service stopped)");
            return 1;
        }
        if (isBack) {
            out.println("Both sides are equal. The service uses " + files.directory()
                    + " when it is started without komainu.records.url.");
        } else {
            report(files.directory(), settings);
        }
        return 0;
    }

    private void report(List<MovedTable> tables, Path directory, Map<String, String> settings) {
        out.println("table                     rows here  rows there  sum of both");
        for (MovedTable table : tables) {
            out.println(String.format(
                    Locale.ROOT,
                    "%-24s %10d  %10d  %s",
                    table.name(),
                    table.here().rows(),
                    table.there().rows(),
                    table.there().sum().substring(0, 16)));
        }
        report(directory, settings);
    }

    private void report(Path directory, Map<String, String> settings) {
        out.println("Both sides are equal. " + directory
                + " is as it was, and the service uses it until it is started with:");
        settings.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(setting ->
                        out.println("  --" + setting.getKey() + "=" + setting.getValue()));
    }

    private int misuse(String argument) {
        err.println("move: " + argument + " (" + USAGE + ")");
        return 2;
    }
}
