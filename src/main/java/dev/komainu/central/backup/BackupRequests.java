package dev.komainu.central.backup;

import dev.komainu.central.access.RequestFiles;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests for backups by files: {@code ./komainu backup} creates {@code backup/NAME.request}
 * in the data directory. This class answers with {@code backup/NAME.progress}, which it replaces
 * every two seconds, and at the end with {@code backup/NAME.done} or {@code backup/NAME.failed}.
 *
 * <p>A request has a line for each value: {@code directory=/absolute} and, for an encrypted backup,
 * {@code passphrase-file=/absolute}.
 */
public final class BackupRequests extends RequestFiles {

    private static final int MOST_BYTES = 8_192;

    private final Backups backups;
    private final BiConsumer<String, String> audit;
    private final Map<String, BackupRun> asked = new ConcurrentHashMap<>();

    /**
     * Creates the reader of requests; {@link #start} begins it.
     *
     * @param audit records an action and its subject
     */
    public BackupRequests(Path directory, Backups backups, BiConsumer<String, String> audit) {
        super(directory, "backup-requests");
        this.backups = backups;
        this.audit = audit;
    }

    /** Answers all requests in the directory, and writes the progress of the backup under way. */
    @Override
    public synchronized void answerAll() throws IOException {
        super.answerAll();
        for (Map.Entry<String, BackupRun> each : Map.copyOf(asked).entrySet()) {
            tell(each.getKey(), each.getValue());
        }
    }

    @Override
    protected String content(Path request) throws IOException {
        return Files.size(request) > MOST_BYTES ? "" : Files.readString(request);
    }

    @Override
    protected void answer(String name, String content) throws IOException {
        if (!name.matches("[0-9A-Za-z-]{1,64}")) {
            return;
        }
        try {
            Path target = path(content, "directory");
            if (target == null) {
                throw new IllegalArgumentException("directory: none (expected: an absolute path)");
            }
            Path passphrase = path(content, "passphrase-file");
            audit.accept("backup.create", target.toString());
            asked.put(name, backups.start(target, passphrase));
        } catch (Backups.RefusedException | IllegalArgumentException e) {
            write(name + ".failed", String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Path path(String text, String key) {
        String value = text.lines()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .findFirst()
                .orElse(null);
        if (value == null) {
            return null;
        }
        try {
            Path path = Path.of(value);
            if (path.isAbsolute()) {
                return path.normalize();
            }
        } catch (InvalidPathException e) {
            // Told below, like every other text that is no absolute path.
        }
        throw new IllegalArgumentException(key + ": " + value + " (expected: an absolute path)");
    }

    private void tell(String name, BackupRun run) throws IOException {
        BackupRun.Outcome outcome = run.outcome();
        if (outcome == null) {
            write(
                    name + ".progress",
                    run.stage().text() + ": " + (run.bytes() >> 20) + " of about "
                            + (run.expectedBytes() >> 20) + " MB");
            return;
        }
        asked.remove(name);
        FinishedBackup.Summary summary = outcome.summary();
        if (summary == null) {
            write(name + ".failed", run.stage().text() + ": " + outcome.fault());
        } else {
            write(name + ".done", BackupText.of(summary));
        }
        Files.deleteIfExists(file(name + ".progress"));
    }

    private void write(String name, String content) throws IOException {
        PrivateFiles.replace(file(name), (content + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
