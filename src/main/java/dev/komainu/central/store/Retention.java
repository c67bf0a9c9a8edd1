package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deletion of old telemetry by {@link KeptAges}: day files beyond the maximum age, then the
 * oldest day files while their total size is above the limit; never today's, and none before its
 * roll-ups are stored. Files of roll-ups are deleted by age only, and not while their day file is
 * there. Rows are never deleted, because that would not free disk space. Writer thread only.
 *
 * <p>With a clock that is a year ahead (for example at a start before time synchronization) every
 * file would be too old. So files are deleted by age only when the clock reached the present day by
 * normal progress: files of the two previous days exist, or this process has run for a day since.
 * The limit on bytes does not depend on the clock and always applies.
 */
final class Retention {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    private final StoreSettings settings;
    private final Clock clock;
    private final LongSupplier nanos;
    private final DayFiles files;
    private final RollUpFiles rollUps;
    private @Nullable Leap leap;

    /**
     * A day that the clock reached by a jump larger than the elapsed time.
     *
     * @param nanos monotonic time when the day was first observed
     */
    private record Leap(LocalDate day, long nanos) {}

    /**
     * Creates the deletion for a store's files.
     *
     * @param nanos monotonic clock in nanoseconds
     */
    Retention(
            StoreSettings settings,
            Clock clock,
            LongSupplier nanos,
            DayFiles files,
            RollUpFiles rollUps) {
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
        this.files = files;
        this.rollUps = rollUps;
    }

    /**
     * Deletes the files that are too old or too many.
     *
     * @param current the file that is written to; it is never deleted
     */
    void sweep(@Nullable DayFile current) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        List<DayFile> oldestFirst = new ArrayList<>(files.all());
        oldestFirst.sort(Comparator.comparing(DayFile::day));
        LocalDate oldestKept = settings.kept().oldestRaw(today);
        boolean anyTooOld = oldestFirst.stream().anyMatch(file -> file.day().isBefore(oldestKept))
                || rollUps.all().stream().anyMatch(file -> isTooOld(file, today));
        boolean byAge = anyTooOld && isClockPlausible(today, oldestFirst);
        long bytes = files.storage().bytes();
        for (DayFile file : oldestFirst) {
            boolean tooOld = byAge && file.day().isBefore(oldestKept);
            boolean tooMuch = bytes > settings.retentionBytes().toBytes();
            if (!file.day().equals(today)
                    && !file.equals(current)
                    && (tooOld || tooMuch)
                    && rollUps.cover(file)) {
                long size = file.bytes();
                if (delete(file, tooOld ? "too old" : "too much")) {
                    bytes -= size;
                }
            }
        }
        if (byAge) {
            rollUps.all().stream().filter(file -> isTooOld(file, today)).forEach(this::delete);
        }
    }

    private boolean isTooOld(RollUpFile file, LocalDate today) {
        return file.day().isBefore(settings.kept().oldest(file.level(), today))
                && files.all().stream().noneMatch(file::isOf);
    }

    private boolean delete(DayFile file, String why) {
        try {
            long size = file.bytes();
            boolean deleted = files.delete(file);
            if (deleted) {
                LOG.info("Store: deleted {} ({} MB, {})", file.day(), size >> 20, why);
            }
            return deleted;
        } catch (SQLException | IOException e) {
            LOG.warn("Store: {} not deleted, retry later: {}", file.path(), e.getMessage());
            return false;
        }
    }

    private void delete(RollUpFile file) {
        try {
            rollUps.delete(file);
            LOG.info("Store: deleted {} of {} (too old)", file.level().directory(), file.day());
        } catch (IOException e) {
            LOG.warn("Store: {} not deleted, retry later: {}", file.path(), e.getMessage());
        }
    }

    private boolean isClockPlausible(LocalDate today, List<DayFile> all) {
        Set<LocalDate> days = new HashSet<>();
        all.forEach(file -> days.add(file.day()));
        rollUps.all().forEach(file -> days.add(file.day()));
        if (days.contains(today.minusDays(1)) && days.contains(today.minusDays(2))) {
            leap = null;
            return true;
        }
        long now = nanos.getAsLong();
        Leap lastLeap = leap;
        if (lastLeap == null || isFurtherThan(lastLeap, today, now)) {
            leap = new Leap(today, now);
            LOG.warn(
                    "Store: the clock says {}, but nothing was stored on the two days before: no file is deleted by age"
                            + " until the clock has advanced from there for a day",
                    today);
            return false;
        }
        return now - lastLeap.nanos() >= DAY_NANOS;
    }

    /** Reports whether the clock jumped again since the last jump. */
    private static boolean isFurtherThan(Leap lastLeap, LocalDate today, long now) {
        long passed = ChronoUnit.DAYS.between(lastLeap.day(), today);
        return passed < 0 || passed > (now - lastLeap.nanos()) / DAY_NANOS + 1;
    }
}
