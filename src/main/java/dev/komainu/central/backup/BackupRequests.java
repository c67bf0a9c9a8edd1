package dev.komainu.central.backup;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The requests for backups by files: {@code ./komainu backup} creates {@code backup/NAME.request}
 * in the data directory. This class answers with {@code backup/NAME.progress}, which it replaces
 * every second, and at the end with {@code backup/NAME.done} or {@code backup/NAME.failed}. An
 * account that can write into the data directory owns the service anyway.
 *
 * <p>A request has a line for each value: {@code directory=/absolute} and, for an encrypted backup,
 * {@code passphrase-file=/absolute}.
 */
public final class BackupRequests implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(BackupRequests.class);
    private static final String REQUEST = ".request";
    private static final int MILLIS = 1_000;
    private static final int MOST_BYTES = 8_192;

    private final Path directory;
    private final Backups backups;
    private final BiConsumer<String, String> audit;
    private final Map<String, BackupRun> asked = new ConcurrentHashMap<>();
    private volatile @Nullable ScheduledExecutorService thread;

    /**
     * Creates the reader of requests; {@link #start} begins it.
     *
     * @param audit records an action and its subject
     */
    public BackupRequests(Path directory, Backups backups, BiConsumer<String, String> audit) {
        this.directory = directory;
        this.backups = backups;
        this.audit = audit;
    }

    @Override
    public void start() {
        try {
            PrivateFiles.directory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create " + directory, e);
        }
        ScheduledExecutorService fresh = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("backup-requests").factory());
        ScheduledFuture<?> unused =
                fresh.scheduleWithFixedDelay(this::look, 0, MILLIS, TimeUnit.MILLISECONDS);
        thread = fresh;
    }

    private void look() {
        try {
            answerAll();
        } catch (IOException | RuntimeException e) {
            LOG.warn("{}: {}", directory, e.toString());
        }
    }

    /** Answers all requests in the directory, and writes the progress of the backup under way. */
    synchronized void answerAll() throws IOException {
        try (DirectoryStream<Path> requests = Files.newDirectoryStream(directory, "*" + REQUEST)) {
            for (Path request : requests) {
                answer(request);
            }
        }
        for (Map.Entry<String, BackupRun> each : Map.copyOf(asked).entrySet()) {
            tell(each.getKey(), each.getValue());
        }
    }

    private void answer(Path request) throws IOException {
        String file = request.getFileName().toString();
        String name = file.substring(0, file.length() - REQUEST.length());
        String text = Files.size(request) > MOST_BYTES ? "" : Files.readString(request);
        Files.deleteIfExists(request);
        if (!name.matches("[0-9A-Za-z-]{1,64}")) {
            return;
        }
        try {
            Path target = path(text, "directory");
            if (target == null) {
                throw new IllegalArgumentException("directory: none (expected: an absolute path)");
            }
            Path passphrase = path(text, "passphrase-file");
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
        Files.deleteIfExists(directory.resolve(name + ".progress"));
    }

    private void write(String name, String content) throws IOException {
        PrivateFiles.replace(
                directory.resolve(name), (content + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void stop() {
        ScheduledExecutorService ending = thread;
        if (ending != null) {
            ending.shutdown();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }
}
