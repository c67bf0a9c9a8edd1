package dev.komainu.central.store;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes whole files: those too old, then the oldest while all together are too large; never today's. Rows are never
 * deleted, since that would not give their room back. Writer thread only.
 */
final class Retention {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private final StoreSettings settings;
    private final Clock clock;
    private final DayFiles files;

    Retention(StoreSettings settings, Clock clock, DayFiles files) {
        this.settings = settings;
        this.clock = clock;
        this.files = files;
    }

    /** @param current the file that is written to; it stays in any case */
    void sweep(@Nullable DayFile current) {
        LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        List<DayFile> oldestFirst = new ArrayList<>(files.all());
        oldestFirst.sort(Comparator.comparing(DayFile::day));
        long bytes = files.storage().bytes();
        for (DayFile file : oldestFirst) {
            boolean tooOld = file.day().isBefore(today.minusDays(settings.retentionDays()));
            boolean tooMuch = bytes > settings.retentionBytes().toBytes();
            if (!file.day().isBefore(today) || file.equals(current) || !(tooOld || tooMuch)) {
                continue;
            }
            try {
                long size = file.bytes();
                files.delete(file);
                bytes -= size;
                LOG.info("Store: deleted {} ({} MB, {})", file.day(), size >> 20, tooOld ? "too old" : "too much");
            } catch (SQLException | IOException e) {
                LOG.warn("Store: {} not deleted, tried again later: {}", file.path(), e.getMessage());
            }
        }
    }
}
