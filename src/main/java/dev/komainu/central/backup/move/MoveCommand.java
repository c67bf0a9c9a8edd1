package dev.komainu.central.backup.move;

import ch.qos.logback.classic.Level;
import dev.komainu.central.backup.move.ControlMove.MovedTable;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.file.ProcessUmask;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command for a move.
 *
 * <pre>
 *  --data DIR --to URL [--user NAME] [--password-file FILE]
 *
 *  exit code  meaning
 *  0          the database has all rows; both sides are equal
 *  1          it has not; the reason is printed, and nothing was changed here
 *  2          wrong usage
 * </pre>
 */
public final class MoveCommand {

    private static final String USAGE =
            "expected: --data DIR --to jdbc:postgresql://HOST/DATABASE [--user NAME]"
                    + " [--password-file FILE]";

    /** Settings of the central service that the options stand for. */
    private static final Map<String, String> SETTINGS = Map.of(
            "--to", "komainu.control.url",
            "--user", "komainu.control.user",
            "--password-file", "komainu.control.password-file");

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
        Map<String, String> settings = new HashMap<>();
        String data = null;
        for (int i = 0; i < arguments.length; i += 2) {
            String setting = SETTINGS.get(arguments[i]);
            if (i + 1 == arguments.length || (setting == null && !arguments[i].equals("--data"))) {
                return misuse(arguments[i]);
            }
            if (setting == null) {
                data = arguments[i + 1];
            } else {
                settings.put(setting, arguments[i + 1]);
            }
        }
        if (data == null || !settings.containsKey("komainu.control.url")) {
            return misuse("no --data or no --to");
        }
        try {
            SettingReader reader = new SettingReader(List.of(SettingSource.commandLine(settings)));
            ControlDataSettings target = ControlDataSettings.read(reader);
            reader.finish();
            Path directory = Path.of(data).toAbsolutePath().normalize();
            List<MovedTable> tables = new ControlMove(directory, target, out::println).run();
            report(tables, directory, settings);
            return 0;
        } catch (SettingMistakesException | IOException e) {
            err.println("move: " + e.getMessage());
            return 1;
        }
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
