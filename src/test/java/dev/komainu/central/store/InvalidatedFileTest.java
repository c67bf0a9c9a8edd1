package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A checkpoint fails for lack of memory, and DuckDB invalidates today's file: without opening it
 * again, no batch would ever be stored.
 */
class InvalidatedFileTest {

    private static final int BATCHES = 20;
    private static final int RECORDS = 3_000;

    @TempDir
    Path directory;

    @Test
    void checkpointWithoutMemory_theFileIsOpenedAgainAndEachBatchIsStoredOnce() throws Exception {
        DayFiles files = new DayFiles(StoreSettings.of(directory));
        RollUpProgress progress = new RollUpProgress();
        StoreWriter writer =
                StoreWriters.start(StoreSettings.of(directory), Clock.systemUTC(), files, progress);
        SomeRecords records = new SomeRecords(1);
        List<Batch> all = new ArrayList<>();
        for (int n = 1; n <= BATCHES; n++) {
            all.add(records.batch("agent", n, RECORDS, SomeRecords.START, 60 * SomeRecords.SECOND));
        }
        try (DuckDBConnection other = files.connect()) {
            for (Batch batch : all.subList(0, BATCHES / 2)) {
                assertThat(writer.submit(batch).get()).isEqualTo(Outcome.STORED);
            }
            String name = files.all().getFirst().name();
            leaveNoMemory(other);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> execute(other, "CHECKPOINT " + name))
                    .withMessageContaining("invalidated");
            execute(other, "SET memory_limit='96MiB'");

            for (Batch batch : all) {
                assertThat(writer.submit(batch).get())
                        .isEqualTo(
                                batch.id().sequence() <= BATCHES / 2
                                        ? Outcome.DUPLICATE
                                        : Outcome.STORED);
            }
            try (Statement statement = other.createStatement();
                    ResultSet row =
                            statement.executeQuery("SELECT count(*), count(DISTINCT sequence) FROM "
                                    + name + ".batches")) {
                row.next();
                assertThat(row.getLong(1)).isEqualTo(BATCHES);
                assertThat(row.getLong(2)).isEqualTo(BATCHES);
            }
        } finally {
            writer.close();
            files.close();
        }
    }

    /** Lowers the limit as far as DuckDB accepts it. */
    private static void leaveNoMemory(DuckDBConnection connection) {
        try {
            for (int kibibytes = 64 * 1_024; kibibytes > 256; kibibytes -= 256) {
                execute(connection, "SET memory_limit='" + kibibytes + "KiB'");
            }
        } catch (SQLException e) {
            assertThat(e.getMessage()).contains("could not free up enough memory");
        }
    }

    private static void execute(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
