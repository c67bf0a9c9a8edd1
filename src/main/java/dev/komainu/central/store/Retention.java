package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deletion of old telemetry by {@link KeptAges}: days beyond the maximum age, then the oldest
 * days while the total size is above the limit; never today's, and none before its roll-ups are
 * stored. Roll-ups are deleted by age only, and not while their day is there. While the disk is
 * nearly full, the oldest days go in any case. Rows are never deleted, because that would not free
 * disk space. Writer thread only.
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
    private final StoredDays days;
    private @Nullable Leap leap;

    /**
     * A day that the clock reached by a jump larger than the elapsed time.
     *
     * @param nanos monotonic time when the day was first observed
     */
    private record Leap(LocalDate day, long nanos) {}

    /**
     * Creates the deletion for a store's days.
     *
     * @param nanos monotonic clock in nanoseconds
     */
    Retention(StoreSettings settings, Clock clock, LongSupplier nanos, StoredDays days) {
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
        this.days = days;
    }

    /**
     * Deletes the days that are too old or too many.
     *
     * @param current the day that is written to; it is never deleted
     */
    void sweep(@Nullable LocalDate current) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        SortedMap<LocalDate, Long> oldestFirst;
        Set<LocalDate> known;
        long bytes;
        boolean anyTooOld;
        try {
            oldestFirst = new TreeMap<>(days.bytesOfDays());
            known = new HashSet<>(days.rolledUpDays());
            bytes = days.bytes();
            anyTooOld = days.hasOldRollUps(today);
        } catch (SQLException e) {
            LOG.warn("Store: the sizes of the days are not known, retry later: {}", e.getMessage());
            return;
        }
        known.addAll(oldestFirst.keySet());
        LocalDate oldestKept = settings.kept().oldestRaw(today);
        anyTooOld |= oldestFirst.keySet().stream().anyMatch(day -> day.isBefore(oldestKept));
        boolean byAge = anyTooOld && isClockPlausible(today, known);
        for (Map.Entry<LocalDate, Long> entry : oldestFirst.entrySet()) {
            LocalDate day = entry.getKey();
            boolean tooOld = byAge && day.isBefore(oldestKept);
            boolean tooMuch = bytes > settings.retentionBytes().toBytes();
            if (day.equals(today)
                    || day.equals(current)
                    || !(tooOld || tooMuch)
                    || !days.isRolledUp(day)) {
                continue;
            }
            bytes -= delete(day, entry.getValue(), tooOld ? "too old" : "too much");
        }
        if (byAge) {
            days.deleteOldRollUps(today);
        }
    }

    /**
     * Deletes the oldest days, whatever their age, because their disk is nearly full: also those
     * whose roll-ups are not made yet, because these need room, too.
     *
     * @param wanted bytes to free; less is freed when only {@code current} and today's are left
     */
    void makeRoom(long wanted, @Nullable LocalDate current) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        SortedMap<LocalDate, Long> oldestFirst;
        try {
            oldestFirst = new TreeMap<>(days.bytesOfDays());
        } catch (SQLException e) {
            LOG.warn("Store: the sizes of the days are not known, retry later: {}", e.getMessage());
            return;
        }
        long left = wanted;
        for (Map.Entry<LocalDate, Long> entry : oldestFirst.entrySet()) {
            LocalDate day = entry.getKey();
            if (left <= 0) {
                return;
            }
            if (!day.equals(today) && !day.equals(current)) {
                left -= delete(day, entry.getValue(), "its disk is nearly full");
            }
        }
    }

    /** Deletes a day and returns its bytes; 0 when it was not deleted. */
    private long delete(LocalDate day, long bytes, String reason) {
        try {
            if (!days.delete(day)) {
                return 0;
            }
            LOG.info("Store: deleted {} ({} MB, {})", day, bytes >> 20, reason);
            return bytes;
        } catch (SQLException | IOException e) {
            LOG.warn("Store: {} not deleted, retry later: {}", day, e.getMessage());
            return 0;
        }
    }

    private boolean isClockPlausible(LocalDate today, Set<LocalDate> stored) {
        if (stored.contains(today.minusDays(1)) && stored.contains(today.minusDays(2))) {
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
