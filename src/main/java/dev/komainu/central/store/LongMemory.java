package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The making of the roll-ups that stay when raw days are deleted. A day is closed when it is over
 * and the writer has left it; then its minutes and hours are made, the oldest day first, on a
 * thread of low priority that works at most half of the time.
 *
 * <p>Nothing but the files tells what is done: a day lacks roll-ups until files with its generation
 * and number of batches are there ({@link RollUpFile}). So a crash at any instant has no other
 * effect than that the work begins again, and a day that received batches after its roll-up gets
 * another one. {@link Retention} deletes no day that lacks roll-ups.
 */
final class LongMemory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LongMemory.class);
    private static final long EVERY_SECONDS = 60;
    private static final String WORK = "rolling-up";

    private final DayFiles days;
    private final RollUpFiles rollUps;
    private final Supplier<@Nullable DayFile> written;
    private final Clock clock;
    private final CountDownLatch closing = new CountDownLatch(1);
    /** Locked by the thread that makes roll-ups. */
    private final ReentrantLock making = new ReentrantLock();

    private final Thread thread;
    private @Nullable String lastFailure;

    /**
     * Starts the thread.
     *
     * @param written the file that the writer uses
     */
    LongMemory(
            DayFiles days, RollUpFiles rollUps, Supplier<@Nullable DayFile> written, Clock clock) {
        this.days = days;
        this.rollUps = rollUps;
        this.written = written;
        this.clock = clock;
        thread = Thread.ofPlatform()
                .name("komainu-roll-ups")
                .daemon()
                .priority(Thread.MIN_PRIORITY)
                .start(this::run);
    }

    private void run() {
        try {
            while (!closing.await(EVERY_SECONDS, TimeUnit.SECONDS)) {
                catchUp(this::halfOfTheTime);
            }
        } catch (InterruptedException e) {
            // The store is being closed.
        }
    }

    private void halfOfTheTime(long nanos) throws InterruptedException {
        if (closing.await(nanos, TimeUnit.NANOSECONDS)) {
            throw new InterruptedException();
        }
    }

    /**
     * Makes all roll-ups that are lacking. A day that fails does not keep the others from being
     * made; it is tried again at the next call.
     *
     * @throws InterruptedException when the pace ended the work
     */
    void catchUp(DayRollUp.Pace pace) throws InterruptedException {
        making.lockInterruptibly();
        try {
            for (DayFile file : lacking()) {
                make(file, pace);
            }
        } finally {
            making.unlock();
        }
    }

    /** Returns the closed days that lack roll-ups, oldest first. */
    private List<DayFile> lacking() {
        return days.all().stream()
                .filter(file -> isClosed(file) && !rollUps.cover(file))
                .sorted(Comparator.comparing(DayFile::day))
                .toList();
    }

    /** Reports whether a day is over and the writer has left it. */
    boolean isClosed(DayFile file) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        return !file.day().equals(today) && !file.equals(written.get());
    }

    private void make(DayFile file, DayRollUp.Pace pace) throws InterruptedException {
        if (!file.pin()) {
            return;
        }
        try {
            // Named before the file is read: later batches make the name wrong, and the day is
            // rolled up again.
            List<RollUpFile> names = Arrays.stream(RollUpLevel.values())
                    .map(level -> RollUpFile.of(rollUps.directory(), level, file))
                    .toList();
            try (StagedRollUps staged = new StagedRollUps(rollUps.directory().resolve(WORK));
                    DuckDBConnection connection = days.connect()) {
                DayRollUp rollUp = new DayRollUp(pace);
                rollUp.read(connection, file, staged);
                if (rollUp.unreadable() > 0) {
                    LOG.error(
                            "Store: {} windows of {} cannot be read and are not in its roll-ups",
                            rollUp.unreadable(),
                            file.day());
                }
                for (RollUpFile name : names) {
                    rollUps.publish(staged.write(name.level()), name);
                }
            }
            lastFailure = null;
            LOG.info("Store: rolled up {}", file.day());
        } catch (SQLException | IOException | RuntimeException e) {
            failed(file, e);
        } finally {
            file.unpin();
        }
    }

    /** Logs the same failure once. */
    private void failed(DayFile file, Exception e) {
        String failure = file.day() + ": " + e.getMessage();
        if (!failure.equals(lastFailure)) {
            LOG.error(
                    "Store: {} not rolled up, and so not deleted, retry later: {}",
                    file.day(),
                    e.toString());
            lastFailure = failure;
        }
    }

    /** Ends the work after the part that is being read. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join(30_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
