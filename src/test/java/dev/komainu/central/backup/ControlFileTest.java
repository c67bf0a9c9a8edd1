package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.SettableClock;
import dev.komainu.telemetry.kit.Nightly;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.unit.DataSize;

/** Tests of the H2 file's check at the start, and of the copies that mend it. */
class ControlFileTest {

    private static final int ROWS = 2_000;
    private static final int PLACES = 40;

    @TempDir
    private Path data;

    private final SettableClock clock = new SettableClock("2026-11-28T10:00:00Z");
    private final JdbcDataSource database = new JdbcDataSource();
    private JdbcClient jdbc;
    private Path file;

    @BeforeEach
    void fill() {
        file = data.resolve(ControlFile.NAME);
        database.setURL("jdbc:h2:file:" + data.resolve("control") + ";WRITE_DELAY=0");
        database.setUser("komainu");
        jdbc = JdbcClient.create(database);
        jdbc.sql("create table row_of (id int primary key, name varchar(100), note clob)")
                .update();
        jdbc.sql("create index row_by_name on row_of (name)").update();
        jdbc.sql("insert into row_of select x, 'name ' || x, repeat('note ' || x, 40)"
                        + " from system_range(1, ?)")
                .param(ROWS)
                .update();
        jdbc.sql("create table audit_chain (sequence bigint)").update();
        jdbc.sql("insert into audit_chain values (7)").update();
    }

    private ControlCopies copies(int most, DataSize size) {
        return new ControlCopies(
                data,
                new BackupSettings(data.resolve("backups"), null, Duration.ofHours(1), most, size),
                database,
                clock);
    }

    private void copy() throws Exception {
        copies(24, DataSize.ofGigabytes(1)).copyIfDue();
    }

    private long rows() {
        return jdbc.sql("select count(*) from (select id, name, note from row_of)")
                .query(Long.class)
                .single();
    }

    private Optional<ControlFile.Mending> check() throws IOException {
        return ControlFile.check(data, clock);
    }

    @Test
    void firstStart_andFileInOrder_areLeftAsTheyAre() throws Exception {
        assertThat(check()).isEmpty();
        assertThat(rows()).isEqualTo(ROWS);

        Path empty = Files.createDirectory(data.resolve("empty"));
        Files.createFile(empty.resolve(ControlFile.NAME));
        assertThat(ControlFile.check(empty, clock)).isEmpty();
    }

    /**
     * The file opens with all rows, or the copy takes its place and the damaged file is kept. H2
     * asks for as much memory as a damaged length says, which other tests of this JVM then lack.
     */
    @Tag(Nightly.TAG)
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {3, 5})
    void damage_atRandomPlaces_opensOrIsMended(long seed) throws Exception {
        copy();
        Path sound = data.resolve("sound");
        Files.copy(file, sound);
        Random random = new Random(seed);
        int mended = 0;
        for (int i = 0; i < PLACES; i++) {
            Files.copy(sound, file, StandardCopyOption.REPLACE_EXISTING);
            long at = random.nextLong(Files.size(file));
            byte[] noise = new byte[1 + random.nextInt(i % 2 == 0 ? 8 : 8_192)];
            random.nextBytes(noise);
            try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
                raw.seek(at);
                raw.write(noise, 0, (int) Math.min(noise.length, raw.length() - at));
            }
            byte[] damaged = Files.readAllBytes(file);

            Optional<ControlFile.Mending> mending = check();

            assertThat(rows()).as("seed %d, byte %d", seed, at).isEqualTo(ROWS);
            if (mending.isPresent()) {
                mended++;
                assertThat(mending.get().from()).isEqualTo(clock.instant());
                assertThat(mending.get().fault()).isNotEmpty();
                assertThat(mending.get().aside()).isNotNull();
                assertThat(mending.get().aside()).hasBinaryContent(damaged);
                Files.delete(mending.get().aside());
            }
        }
        assertThat(mended).isPositive();
    }

    @Test
    void file_cutOffEmptyOrMissing_isMendedFromTheNewestCopy() throws Exception {
        copy();
        jdbc.sql("insert into row_of (id) values (0)").update();
        clock.pass(Duration.ofHours(1));
        copy();
        Instant newest = clock.instant();
        byte[] whole = Files.readAllBytes(file);

        Files.write(file, Arrays.copyOf(whole, whole.length / 3));
        assertThat(check()).get().satisfies(mending -> {
            assertThat(mending.from()).isEqualTo(newest);
            assertThat(mending.aside()).hasSize(whole.length / 3);
        });
        assertThat(rows()).isEqualTo(ROWS + 1);

        Files.write(file, new byte[0]);
        assertThat(check())
                .get()
                .extracting(ControlFile.Mending::fault)
                .isEqualTo("the file is missing or empty");
        assertThat(rows()).isEqualTo(ROWS + 1);

        Files.delete(file);
        assertThat(check()).isPresent();
        assertThat(rows()).isEqualTo(ROWS + 1);
    }

    /** H2 opens a file that was cut off in an earlier state. */
    @Test
    void file_olderThanItsNewestCopy_isMended() throws Exception {
        byte[] earlier = Files.readAllBytes(file);
        jdbc.sql("update audit_chain set sequence = 8").update();
        copy();
        Files.write(file, earlier);

        assertThat(check())
                .get()
                .extracting(ControlFile.Mending::fault)
                .asString()
                .contains("audit entry 8 is in the newest copy");

        assertThat(jdbc.sql("select sequence from audit_chain")
                        .query(Long.class)
                        .single())
                .isEqualTo(8);
    }

    /** A damaged length can let H2 exhaust the heap, which ends the service at once. */
    @Test
    void check_thatEndedTheProcessTwice_isTakenForDamage() throws Exception {
        copy();
        Files.write(data.resolve(ControlFile.UNENDED), new byte[1]);
        assertThat(check()).isEmpty();
        assertThat(data.resolve(ControlFile.UNENDED)).doesNotExist();

        Files.write(data.resolve(ControlFile.UNENDED), new byte[2]);
        assertThat(check())
                .get()
                .extracting(ControlFile.Mending::fault)
                .isEqualTo("its check ended the process 2 times");
        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void newestCopy_damagedToo_theOneBeforeIsTaken() throws Exception {
        copy();
        Instant first = clock.instant();
        clock.pass(Duration.ofHours(1));
        copy();
        Path newest = copies(24, DataSize.ofGigabytes(1)).list().getFirst().file();
        Files.write(newest, "no zip".getBytes(StandardCharsets.UTF_8));
        Files.write(
                file,
                "no database at all, but a text of some length".getBytes(StandardCharsets.UTF_8));

        assertThat(check()).get().extracting(ControlFile.Mending::from).isEqualTo(first);

        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void damage_withoutACopy_isToldAndTheFileStays() throws Exception {
        byte[] damaged = "no database at all, but a text of some length"
                .repeat(1_000)
                .getBytes(StandardCharsets.UTF_8);
        Files.write(file, damaged);

        assertThatThrownBy(this::check)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged, and 0 copies cannot be read")
                .hasMessageContaining("./komainu restore");

        assertThat(file).hasBinaryContent(damaged);
    }

    @Test
    void fileInUse_isNotTakenForDamage() throws Exception {
        copy();
        try (var used = database.getConnection()) {
            assertThat(used.isValid(1)).isTrue();
            assertThat(check()).isEmpty();
        }
        assertThat(rows()).isEqualTo(ROWS);
    }

    /** A crash leaves a transaction open; H2 rolls it back when it opens the file for writing. */
    @Test
    void fileOfACrash_withAnOpenTransaction_isInOrder() throws Exception {
        copy();
        byte[] crashed;
        try (Connection open = database.getConnection();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.executeUpdate("update row_of set name = 'changed'");
            statement.executeUpdate("delete from row_of where id > 1000");
            try (Connection other = database.getConnection();
                    Statement flush = other.createStatement()) {
                flush.execute("checkpoint sync");
            }
            crashed = Files.readAllBytes(file);
            open.rollback();
        }
        Files.write(file, crashed);

        assertThat(check()).isEmpty();

        assertThat(rows()).isEqualTo(ROWS);
        assertThat(jdbc.sql("select count(*) from row_of where name = 'changed'")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void copies_overTime_areMadeWhenDueAndBoundedInNumber() throws Exception {
        ControlCopies copies = copies(3, DataSize.ofGigabytes(1));
        copies.copyIfDue();
        clock.pass(Duration.ofMinutes(59));
        copies.copyIfDue();
        assertThat(copies.list()).hasSize(1);

        for (int i = 0; i < 6; i++) {
            clock.pass(Duration.ofHours(1));
            copies.copyIfDue();
        }

        List<ControlCopies.Copy> kept = copies.list();
        assertThat(kept).hasSize(3);
        assertThat(kept.getFirst().at()).isEqualTo(clock.instant());
        assertThat(kept.getLast().at()).isEqualTo(clock.instant().minus(Duration.ofHours(2)));
        assertThat(copies(0, DataSize.ofGigabytes(1)).list()).hasSize(3);
    }

    @Test
    void copies_aboveTheirSize_theOldestAreDeletedButNotTheNewest() throws Exception {
        ControlCopies copies = copies(100, DataSize.ofMegabytes(100));
        copies.copyIfDue();
        Deque<ControlCopies.Copy> newestFirst = new ArrayDeque<>(copies.list());
        // H2 leaves room in its file and frees it later, so the sizes differ up to threefold.
        long limit = newestFirst.getFirst().bytes() * 5 / 2;
        ControlCopies bounded = copies(100, DataSize.ofBytes(limit));
        int deleted = 0;
        for (int i = 0; i < 8; i++) {
            clock.pass(Duration.ofHours(1));
            bounded.copyIfDue();
            newestFirst.addFirst(bounded.list().getFirst());
            while (newestFirst.stream().mapToLong(ControlCopies.Copy::bytes).sum() > limit) {
                newestFirst.removeLast();
                deleted++;
            }
            assertThat(bounded.list()).containsExactlyElementsOf(newestFirst);
        }
        assertThat(newestFirst).isNotEmpty();
        assertThat(deleted).isPositive();

        ControlCopies tiny = copies(100, DataSize.ofBytes(1));
        clock.pass(Duration.ofHours(1));
        tiny.copyIfDue();
        assertThat(tiny.list())
                .singleElement()
                .extracting(ControlCopies.Copy::at)
                .isEqualTo(clock.instant());
    }

    @Test
    void copies_withZero_areNotMade() throws Exception {
        copies(0, DataSize.ofGigabytes(1)).copyIfDue();

        assertThat(data.resolve(ControlCopies.DIRECTORY)).doesNotExist();
    }
}
