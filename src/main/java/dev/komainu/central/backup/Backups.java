package dev.komainu.central.backup;

import dev.komainu.central.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The backups of this service: at most one is written at a time, on a thread of its own. Any
 * thread.
 */
public final class Backups implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern(
                    "'backup-'yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final long STOP_MILLIS = 10_000;

    private final Installation installation;
    private final BackupSettings settings;
    private final Clock clock;
    private @Nullable Thread thread; // Guarded by this
    private volatile @Nullable BackupRun newest;
    private volatile boolean running;

    public Backups(Installation installation, BackupSettings settings, Clock clock) {
        this.installation = installation;
        this.settings = settings;
        this.clock = clock;
    }

    /** A request for a backup that cannot be carried out; the message says why. */
    public static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * A backup below the console's directory.
     *
     * @param summary absent: it was broken off, or its manifest cannot be read
     * @param fault why there is no summary
     */
    public record Listed(
            String name,
            FinishedBackup.@Nullable Summary summary,
            @Nullable String fault) {}

    /**
     * Begins a backup.
     *
     * @param passphraseFile absent: it is not encrypted
     * @throws RefusedException when another one is being written, or the directory cannot be used
     */
    public synchronized BackupRun start(Path directory, @Nullable Path passphraseFile)
            throws RefusedException {
        checkIdle();
        BackupRun run = new BackupRun(directory, clock.instant(), expectedBytes());
        BackupTarget target;
        try {
            char[] passphrase =
                    passphraseFile == null ? null : BackupKey.passphrase(passphraseFile);
            target = BackupTarget.open(directory, passphrase, clock.instant(), run::wrote);
        } catch (IOException e) {
            throw new RefusedException(String.valueOf(e.getMessage()));
        }
        run.begin(target);
        newest = run;
        thread =
                Thread.ofPlatform().name("komainu-backup").daemon().start(() -> write(run, target));
        return run;
    }

    private void checkIdle() throws RefusedException {
        BackupRun before = newest;
        if (before != null && before.isRunning()) {
            throw new RefusedException("another backup is being written to " + before.directory());
        }
    }

    private void write(BackupRun run, BackupTarget target) {
        try (target) {
            Manifest manifest = new BackupWork(installation, target, clock, run::enter).run();
            run.done(manifest, clock.instant());
            LOG.info(
                    "Backup: {} is complete: {} MB, all batches acknowledged before {}",
                    run.directory(),
                    manifest.bytes() >> 20,
                    manifest.telemetry());
        } catch (IOException | RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            run.failed(why, clock.instant());
            LOG.error(
                    "Backup: {} was not completed ({}); repeat it, and it goes on: {}",
                    run.directory(),
                    run.stage().text(),
                    why);
        }
    }

    /** Returns the approximate size of a backup. */
    private long expectedBytes() {
        long bytes = 0;
        try {
            for (var day : installation.days().days()) {
                Path file = installation.days().file(day);
                bytes += Files.exists(file) ? Files.size(file) : 0;
            }
        } catch (IOException | StoreException e) {
            LOG.debug("Backup: the expected size is not complete", e);
        }
        return bytes;
    }

    /** Returns the newest run since the start of the service, which may be under way. */
    public Optional<BackupRun> newest() {
        return Optional.ofNullable(newest);
    }

    /**
     * Begins a backup below the console's directory, or goes on with one of the same kind that was
     * broken off.
     *
     * @param encrypted with the passphrase of the settings
     * @throws RefusedException as {@link #start}
     */
    public synchronized BackupRun startInConsole(boolean encrypted) throws RefusedException {
        checkIdle();
        return start(consoleDirectory(encrypted), encrypted ? settings.passphraseFile() : null);
    }

    private Path consoleDirectory(boolean encrypted) {
        return list().stream()
                .filter(each -> each.summary() == null)
                .map(each -> settings.directory().resolve(each.name()))
                .filter(each -> BackupTarget.isUnfinished(each, encrypted))
                .findFirst()
                .orElseGet(() -> settings.directory()
                        .resolve(NAME.format(clock.instant().truncatedTo(ChronoUnit.SECONDS))));
    }

    public BackupSettings settings() {
        return settings;
    }

    /** Returns the backups below the console's directory, newest first. */
    public List<Listed> list() {
        List<Listed> found = new ArrayList<>();
        if (!Files.isDirectory(settings.directory())) {
            return found;
        }
        try (Stream<Path> entries = Files.list(settings.directory())) {
            for (Path entry : entries.filter(Files::isDirectory).toList()) {
                if (Files.exists(entry.resolve(Manifest.FILE))
                        || Files.exists(entry.resolve(BackupTarget.JOURNAL))) {
                    found.add(listed(entry));
                }
            }
        } catch (IOException e) {
            LOG.warn("Backup: {} cannot be listed: {}", settings.directory(), e.getMessage());
        }
        found.sort(Comparator.comparing(Listed::name).reversed());
        return found;
    }

    private static Listed listed(Path directory) {
        String name = String.valueOf(directory.getFileName());
        try {
            return new Listed(name, FinishedBackup.open(directory, null).summary(), null);
        } catch (IOException e) {
            return new Listed(name, null, e.getMessage());
        }
    }

    @Override
    public void start() {
        running = true;
    }

    /** Breaks off the backup that is being written; the next one goes on with it. */
    @Override
    public void stop() {
        running = false;
        Thread writing;
        synchronized (this) {
            writing = thread;
        }
        if (writing != null) {
            newest().ifPresent(BackupRun::breakOff);
            try {
                writing.join(STOP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
