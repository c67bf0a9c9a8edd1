package dev.komainu.central.backup;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The copies of the H2 database that this service makes by itself, by H2's {@code BACKUP TO}. They
 * mend a damaged file at the next start ({@link ControlFile}). They lie on the same disk: they do
 * not replace backups. Their number and their size are bounded. Any thread.
 */
public final class ControlCopies implements SmartLifecycle {

    /** Directory of the copies below the data directory. */
    static final String DIRECTORY = "control-copies";

    private static final Logger LOG = LoggerFactory.getLogger(ControlCopies.class);
    /** Name of a copy: its instant, and the {@link AuditNumber} that it has at least. */
    private static final Pattern FILE =
            Pattern.compile("control-([0-9]{8}T[0-9]{6}Z)-([0-9]{1,18})\\.zip");

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT);
    private static final long CHECK_SECONDS = 60;

    private final Path directory;
    private final BackupSettings settings;
    private final DataSource source;
    private final Clock clock;
    private volatile @Nullable ScheduledExecutorService thread;
    private volatile @Nullable String failure;

    /**
     * A copy.
     *
     * @param at instant at which it was begun, in whole seconds
     * @param auditNumber number of an audit entry that is in it
     */
    public record Copy(Path file, Instant at, long auditNumber, long bytes) {}

    public ControlCopies(Path data, BackupSettings settings, DataSource source, Clock clock) {
        this.directory = data.resolve(DIRECTORY);
        this.settings = settings;
        this.source = source;
        this.clock = clock;
    }

    @Override
    public void start() {
        ScheduledExecutorService fresh = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("control-copies").factory());
        ScheduledFuture<?> unused = fresh.scheduleWithFixedDelay(
                this::look, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
        thread = fresh;
    }

    private void look() {
        try {
            copyIfDue();
            failure = null;
        } catch (IOException | SQLException | RuntimeException e) {
            if (failure == null) {
                LOG.error("Backup: no copy of the control data: {}", e.getMessage());
            }
            failure = String.valueOf(e.getMessage());
        }
    }

    /** Returns why the newest attempt made no copy; empty when it did, or none was due. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Makes a copy when the newest one is old enough, and deletes those above the bounds. */
    void copyIfDue() throws IOException, SQLException {
        if (settings.copies() == 0) {
            return;
        }
        Instant now = clock.instant();
        List<Copy> before = list(directory);
        // A copy of the future is one of a clock that was ahead.
        if (before.isEmpty()
                || Duration.between(before.getFirst().at(), now)
                                .abs()
                                .compareTo(settings.copyEvery())
                        >= 0) {
            copy(now.truncatedTo(ChronoUnit.SECONDS));
            removeSurplus();
        }
    }

    private void copy(Instant at) throws IOException, SQLException {
        Path fresh = directory.resolve("control.zip.new");
        Path file;
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            if (!connection.getMetaData().getDatabaseProductName().equals("H2")) {
                return; // its own means make copies
            }
            PrivateFiles.directory(directory);
            Files.deleteIfExists(fresh);
            file = directory.resolve(
                    "control-" + NAME.format(LocalDateTime.ofInstant(at, ZoneOffset.UTC)) + "-"
                            + AuditNumber.of(connection) + ".zip");
            statement.execute("backup to '" + fresh.toString().replace("'", "''") + "'");
        } catch (SQLException e) {
            // What a full disk has of it would occupy the room until the next attempt.
            Files.deleteIfExists(fresh);
            throw e;
        }
        PrivateFiles.narrow(fresh);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void removeSurplus() throws IOException {
        long bytes = 0;
        int number = 0;
        for (Copy copy : list(directory)) {
            bytes += copy.bytes();
            number++;
            boolean tooMany = number > settings.copies();
            boolean tooMuch = number > 1 && bytes > settings.copiesSize().toBytes();
            if (tooMany || tooMuch) {
                Files.deleteIfExists(copy.file());
            }
        }
    }

    /** Returns the copies, newest first. */
    public List<Copy> list() throws IOException {
        return list(directory);
    }

    static List<Copy> list(Path directory) throws IOException {
        List<Copy> copies = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return copies;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Matcher name = FILE.matcher(file.getFileName().toString());
                if (name.matches()) {
                    copies.add(new Copy(
                            file,
                            LocalDateTime.parse(name.group(1), NAME).toInstant(ZoneOffset.UTC),
                            Long.parseLong(name.group(2)),
                            Files.size(file)));
                }
            }
        }
        copies.sort(Comparator.comparing(Copy::at).reversed());
        return copies;
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
