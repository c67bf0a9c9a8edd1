package dev.komainu.central.store;

import dev.komainu.telemetry.kit.Nightly;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract on two shards with two replicas each of Debian's ClickHouse 18.16. */
@Tag(Nightly.TAG)
class ClickHouseClusterTest extends RecordStoreContract {

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private String database;

    @BeforeAll
    static void need() {
        ClickHouseServer.need();
    }

    private static ClickHouseTestCluster cluster() {
        return ClickHouseTestCluster.shared();
    }

    @Override
    ClickHouseStore open() {
        if (database == null) {
            database = cluster().newDatabase();
        }
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")), cluster().settings(database, Map.of()), clock);
    }

    @Override
    void upkeep() throws Exception {
        ((ClickHouseStore) store).runUpkeep();
    }
}
