package dev.komainu.central.store;

import java.sql.SQLException;
import java.time.Clock;

/** Writers of day files without the store around them. */
final class StoreWriters {

    private StoreWriters() {}

    static StoreWriter start(
            StoreSettings settings, Clock clock, DayFiles files, RollUpProgress progress)
            throws SQLException {
        RollUpFiles rollUps = new RollUpFiles(settings.directory(), files);
        return new DuckEngine(settings, clock, files, rollUps, progress, new KnownBatches())
                .start(settings.groupRecords());
    }
}
