package dev.komainu.central.backup.command;

import ch.qos.logback.classic.Level;
import dev.komainu.central.backup.BackupKey;
import dev.komainu.central.backup.BackupText;
import dev.komainu.central.backup.BackupVerification;
import dev.komainu.central.backup.FinishedBackup;
import dev.komainu.central.backup.Restore;
import dev.komainu.telemetry.file.ProcessUmask;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands for finished backups.
 *
 * <pre>
 *  verify DIR [--passphrase-file FILE]
 *  restore DIR --data DIR [--passphrase-file FILE]
 *
 *  exit code  meaning
 *  0          the backup is in order; the restore is complete
 *  1          it is not; each fault is printed
 *  2          wrong usage
 * </pre>
 */
public final class BackupCommand {

    private static final String USAGE =
            "expected: verify DIR [--passphrase-file FILE], or restore DIR --data DIR"
                    + " [--passphrase-file FILE]";

    private final PrintStream out;
    private final PrintStream err;

    BackupCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        // DuckDB and H2 create files by the mask.
        ProcessUmask.set(ProcessUmask.OWNER_ONLY);
        silence(Logger.ROOT_LOGGER_NAME, Level.WARN);
        // H2 is newer than Flyway was tried with; our tests try it.
        silence("org.flywaydb.core.internal.database.base", Level.ERROR);
        System.exit(new BackupCommand(System.out, System.err).run(arguments));
    }

    private static void silence(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof ch.qos.logback.classic.Logger logger) {
            logger.setLevel(level);
        }
    }

    int run(String... arguments) {
        Path directory = null;
        Path data = null;
        Path passphraseFile = null;
        String command = arguments.length == 0 ? "" : arguments[0];
        for (int i = 1; i < arguments.length; i++) {
            boolean hasValue = i + 1 < arguments.length;
            if (arguments[i].equals("--data") && hasValue) {
                data = Path.of(arguments[++i]);
            } else if (arguments[i].equals("--passphrase-file") && hasValue) {
                passphraseFile = Path.of(arguments[++i]);
            } else if (directory == null && !arguments[i].startsWith("-")) {
                directory = Path.of(arguments[i]);
            } else {
                return misuse(arguments[i]);
            }
        }
        boolean restoring = command.equals("restore");
        if (directory == null
                || (!restoring && !command.equals("verify"))
                || restoring != (data != null)) {
            return misuse(command);
        }
        try {
            FinishedBackup backup = FinishedBackup.open(directory, passphrase(passphraseFile));
            if (data == null) {
                return verify(backup);
            }
            new Restore(backup, data.toAbsolutePath().normalize(), out::println).run();
            out.println(BackupText.of(backup.summary()));
            out.println("restored into " + data);
            return 0;
        } catch (IOException e) {
            err.println(command + ": " + e.getMessage());
            return 1;
        }
    }

    private static char @Nullable [] passphrase(@Nullable Path file) throws IOException {
        return file == null ? null : BackupKey.passphrase(file);
    }

    private int verify(FinishedBackup backup) throws IOException {
        List<String> faults = BackupVerification.faults(backup);
        if (!faults.isEmpty()) {
            faults.forEach(err::println);
            err.println("NOT IN ORDER: " + faults.size() + " faults");
            return 1;
        }
        out.println(BackupText.of(backup.summary()));
        out.println(
                backup.isReadable()
                        ? "in order: all files have their hashes, all rows were read"
                        : "all files have their hashes; give --passphrase-file to read the rows, too");
        return 0;
    }

    private int misuse(String argument) {
        err.println("backup: " + argument + " (" + USAGE + ")");
        return 2;
    }
}
