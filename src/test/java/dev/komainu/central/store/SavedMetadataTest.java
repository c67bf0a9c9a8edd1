package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/** A day file whose checkpoint a loss of power cut off in the middle of a metadata block. */
class SavedMetadataTest {

    private static final LocalDate DAY = LocalDate.of(2026, 11, 21);
    private static final int FIRST_BLOCK = 12_288;
    private static final int FIRST_PAGE = 4_096;
    private static final int BEFORE = 5;
    private static final int ALL = 10;

    @TempDir
    Path work;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private Path torn;

    private DuckStore open(Path directory) {
        return new DuckStore(StoreSettings.of(directory), clock);
    }

    private static void append(DuckStore store, int from, int to) throws Exception {
        for (int i = from; i <= to; i++) {
            store.append(NumberedBatches.batch("a", i));
        }
    }

    /**
     * Makes a file with the header and the log of before, and a page of a metadata block of after.
     */
    @BeforeEach
    void tear() throws Exception {
        Path directory = work.resolve("store");
        try (DuckStore store = open(directory)) {
            append(store, 1, BEFORE);
        }
        torn = work.resolve("torn");
        try (DuckStore store = open(directory)) {
            append(store, BEFORE + 1, ALL);
            FileSystemUtils.copyRecursively(directory, torn);
        }
        byte[] before = Files.readAllBytes(new DayFile(torn, DAY).path());
        byte[] after = Files.readAllBytes(new DayFile(directory, DAY).path());
        assertThat(Arrays.copyOfRange(after, FIRST_BLOCK, FIRST_BLOCK + FIRST_PAGE))
                .as("DuckDB writes the block again in place")
                .isNotEqualTo(Arrays.copyOfRange(before, FIRST_BLOCK, FIRST_BLOCK + FIRST_PAGE));
        save();
        System.arraycopy(after, FIRST_BLOCK, before, FIRST_BLOCK, FIRST_PAGE);
        Files.write(new DayFile(torn, DAY).path(), before);
    }

    private void save() throws Exception {
        Path copy = work.resolve("copy");
        FileSystemUtils.copyRecursively(torn, copy);
        DayFile file = new DayFile(copy, DAY);
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("ATTACH '" + file.path() + "' AS " + file.name() + " (READ_ONLY)");
            new SavedMetadata(file).save(connection, file.name());
        }
        Files.copy(
                new SavedMetadata(file).path(), new SavedMetadata(new DayFile(torn, DAY)).path());
    }

    private SavedMetadata saved() {
        return new SavedMetadata(new DayFile(torn, DAY));
    }

    @Test
    void tornBlock_withSavedBlocks_everyBatchIsThere() throws Exception {
        try (DuckStore store = open(torn)) {
            NumberedBatches.assertEachOnce(store, ALL);
            assertThat(saved().path()).doesNotExist();
            append(store, ALL + 1, ALL + 1);
        }
        try (DuckStore store = open(torn)) {
            NumberedBatches.assertEachOnce(store, ALL + 1);
            assertThat(store.storage().damagedFiles()).isZero();
        }
        assertThat(saved().path()).doesNotExist();
    }

    /** This is what the saved blocks are for. */
    @Test
    void tornBlock_withoutSavedBlocks_theDayIsSetAside() throws Exception {
        Files.delete(saved().path());
        assertSetAside();
    }

    @Test
    void tornBlock_withSavedBlocksThatAreNotWhole_theDayIsSetAside() throws Exception {
        byte[] whole = Files.readAllBytes(saved().path());
        Files.write(saved().path(), Arrays.copyOf(whole, whole.length - 1));
        assertSetAside();
    }

    @Test
    void tornBlock_withSavedBlocksThatWereChanged_theDayIsSetAside() throws Exception {
        byte[] whole = Files.readAllBytes(saved().path());
        whole[whole.length / 2] ^= 1;
        Files.write(saved().path(), whole, StandardOpenOption.TRUNCATE_EXISTING);
        assertSetAside();
    }

    private void assertSetAside() throws IOException {
        try (DuckStore store = open(torn)) {
            assertThat(store.storage().batches()).isZero();
            assertThat(store.storage().damagedFiles()).isEqualTo(1);
        }
    }
}
