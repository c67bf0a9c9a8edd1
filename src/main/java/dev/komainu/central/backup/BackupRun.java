package dev.komainu.central.backup;

import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The progress and the outcome of a backup. Its thread writes, any thread reads. */
public final class BackupRun {

    private final Path directory;
    private final Instant begun;
    private final long expectedBytes;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean encrypted;
    private volatile BackupStage stage = BackupStage.EARLIER_DAYS;
    private volatile @Nullable Outcome outcome;
    private volatile boolean brokenOff;

    /** The end of a run because the service stops. */
    private static final class BrokenOffException extends RuntimeException {
        private static final long serialVersionUID = 1;

        BrokenOffException() {
            super("broken off");
        }
    }

    /**
     * The end of a run.
     *
     * @param fault why it is not complete; absent: it is
     */
    public record Outcome(
            Instant at,
            FinishedBackup.@Nullable Summary summary,
            @Nullable String fault) {}

    BackupRun(Path directory, Instant begun, long expectedBytes) {
        this.directory = directory;
        this.begun = begun;
        this.expectedBytes = expectedBytes;
    }

    /** Notes what an earlier attempt left. */
    void begin(BackupTarget target) {
        encrypted = target.isEncrypted();
        bytes.addAndGet(target.bytes());
    }

    /** Counts written bytes. Ends the work when the run is to be broken off. */
    void wrote(long more) {
        bytes.addAndGet(more);
        if (brokenOff) {
            throw new BrokenOffException();
        }
    }

    /** Lets the next write fail. An interrupt would close the files of H2. */
    void breakOff() {
        brokenOff = true;
    }

    void enter(BackupStage next) {
        stage = next;
    }

    void done(Manifest manifest, Instant at) {
        outcome = new Outcome(at, FinishedBackup.summary(manifest), null);
    }

    void failed(String fault, Instant at) {
        outcome = new Outcome(at, null, fault);
    }

    public Path directory() {
        return directory;
    }

    public Instant begun() {
        return begun;
    }

    public boolean encrypted() {
        return encrypted;
    }

    public BackupStage stage() {
        return stage;
    }

    /** Returns the number of bytes that are in the backup so far. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns the approximate number of bytes of the whole backup. */
    public long expectedBytes() {
        return Math.max(expectedBytes, bytes.get());
    }

    public boolean isRunning() {
        return outcome == null;
    }

    public @Nullable Outcome outcome() {
        return outcome;
    }
}
