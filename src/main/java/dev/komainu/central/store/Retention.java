package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes whole files: those too old, then the oldest while all together are too large; never
 * today's. Rows are never deleted, since that would not give their room back. Writer thread only.
 *
 * <p>A clock that is a year ahead, for one at a start before the time service answered, would make
 * everything too old. So nothing is deleted by age on a day the clock did not come to by itself:
 * files of the two days before must exist, or this process must have run a day since. The bound on
 * bytes does not depend on the clock and holds on any day.
 */
final class Retention {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    private final StoreSettings settings;
    private final Clock clock;
    private final LongSupplier nanos;
    private final DayFiles files;
    private @Nullable Leap leap;

    /**
     * A day that the clock came to by more than the time that passed.
     *
     * @param nanos when it was first seen, monotonic
     */
    private record Leap(LocalDate day, long nanos) {}

    /** @param nanos monotonic */
    Retention(StoreSettings settings, Clock clock, LongSupplier nanos, DayFiles files) {
        this.settings = settings;
        this.clock = clock;
        this.nanos = nanos;
        this.files = files;
    }

    /** @param current the file that is written to; it stays in any case */
    void sweep(@Nullable DayFile current) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        List<DayFile> oldestFirst = new ArrayList<>(files.all());
        oldestFirst.sort(Comparator.comparing(DayFile::day));
        LocalDate oldestKept = today.minusDays(settings.retentionDays());
        boolean anyTooOld = oldestFirst.stream().anyMatch(file -> file.day().isBefore(oldestKept));
        boolean byAge = anyTooOld && isBelieved(today, oldestFirst);
        long bytes = files.storage().bytes();
        for (DayFile file : oldestFirst) {
            boolean tooOld = byAge && file.day().isBefore(oldestKept);
            boolean tooMuch = bytes > settings.retentionBytes().toBytes();
            if (file.day().equals(today) || file.equals(current) || !(tooOld || tooMuch)) {
                continue;
            }
            try {
                long size = file.bytes();
                files.delete(file);
                bytes -= size;
                LOG.info(
                        "Store: deleted {} ({} MB, {})",
                        file.day(),
                        size >> 20,
                        tooOld ? "too old" : "too much");
            } catch (SQLException | IOException e) {
                LOG.warn(
                        "Store: {} not deleted, tried again later: {}",
                        file.path(),
                        e.getMessage());
            }
        }
    }

    private boolean isBelieved(LocalDate today, List<DayFile> all) {
        List<LocalDate> days = all.stream().map(DayFile::day).toList();
        if (days.contains(today.minusDays(1)) && days.contains(today.minusDays(2))) {
            leap = null;
            return true;
        }
        long now = nanos.getAsLong();
        Leap seen = leap;
        if (seen == null || isFurtherThan(seen, today, now)) {
            leap = new Leap(today, now);
            LOG.warn(
                    "Store: the clock says {}, but nothing was stored on the two days before: nothing is deleted by age"
                            + " before the clock has gone on from there for a day",
                    today);
            return false;
        }
        return now - seen.nanos() >= DAY_NANOS;
    }

    /** Whether the clock leapt once more since. */
    private static boolean isFurtherThan(Leap seen, LocalDate today, long now) {
        long passed = ChronoUnit.DAYS.between(seen.day(), today);
        return passed < 0 || passed > (now - seen.nanos()) / DAY_NANOS + 1;
    }
}
