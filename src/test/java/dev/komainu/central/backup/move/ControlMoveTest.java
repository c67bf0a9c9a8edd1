package dev.komainu.central.backup.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.backup.ControlFile;
import dev.komainu.central.backup.move.ControlMove.MovedTable;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.central.control.PostgresqlServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Moves of an H2 file into PostgreSQL servers. */
class ControlMoveTest {

    private static final int TRANSITIONS = 5_000;
    private static final int KILLS = 10;

    @TempDir
    private static Path filled;

    @TempDir
    private Path data;

    private final List<String> progress = new ArrayList<>();

    @BeforeAll
    static void fill() {
        JdbcDataSource database = database(filled);
        ControlSchema schema = new ControlSchema(new ControlDataSettings(null, "komainu", ""));
        schema.migrate(schema.flyway(database));
        JdbcClient jdbc = JdbcClient.create(database);
        jdbc.sql(
                        "insert into users (name, role, password_hash, must_change_password)"
                                + " values ('admin', 'administrator', 'x', false), ('ö', 'viewer', 'y', true)")
                .update();
        jdbc.sql("insert into sessions (key_hash, user_name, csrf_token, created, last_used)"
                        + " values ('k', 'ö', 'c', timestamp with time zone '2026-11-28 12:00:00.123456+09:00',"
                        + " timestamp with time zone '2026-11-28 04:00:00Z')")
                .update();
        jdbc.sql(
                        "insert into state_transition (service, at_second, from_state, to_state, rule,"
                                + " cause_en, cause_ja, evidence) select 'web:' || x, x, 'normal', 'failing', 'r',"
                                + " 'line' || char(10) || '\"', '日本語', repeat('evidence ', 50) from system_range(1, ?)")
                .param(TRANSITIONS)
                .update();
    }

    private static JdbcDataSource database(Path directory) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:file:" + directory.resolve("control"));
        database.setUser("komainu");
        return database;
    }

    @BeforeEach
    void copy() throws IOException {
        Files.copy(filled.resolve(ControlFile.NAME), data.resolve(ControlFile.NAME));
    }

    /** Returns the settings of a new database without tables. */
    private static ControlDataSettings empty(ControlEngine engine) {
        return new ControlDataSettings(
                Objects.requireNonNull(engine.settings().get("komainu.control.url")),
                PostgresqlServer.USER,
                PostgresqlServer.PASSWORD);
    }

    private List<MovedTable> move(ControlDataSettings target) throws IOException {
        return new ControlMove(data, target, progress::add).run();
    }

    private void assertSourceIsAsItWas() throws IOException {
        assertThat(data.resolve(ControlFile.NAME))
                .hasSameBinaryContentAs(filled.resolve(ControlFile.NAME));
        assertThat(data).isDirectoryContaining(file -> file.endsWith(ControlFile.NAME));
        assertThat(data.resolve(ControlMove.WORK)).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
    void move_intoAnEmptyDatabase_givesEqualRows_andTheSourceStays(ControlEngine engine)
            throws Exception {
        ControlDataSettings target = empty(engine);

        List<MovedTable> tables = move(target);

        assertThat(tables).allSatisfy(table -> assertThat(table.there()).isEqualTo(table.here()));
        assertThat(tables)
                .filteredOn(table -> table.name().equals("state_transition"))
                .singleElement()
                .satisfies(table -> assertThat(table.there().rows()).isEqualTo(TRANSITIONS));
        assertSourceIsAsItWas();
        JdbcClient there = JdbcClient.create(target.source());
        assertThat(there.sql("select role from users where name = 'ö'")
                        .query(String.class)
                        .single())
                .isEqualTo("viewer");
        there.sql(
                        "insert into state_transition (service, at_second, from_state, to_state, rule,"
                                + " cause_en, cause_ja, evidence) values ('a', 1, 'normal', 'failing', 'r', '', '', '')")
                .update();
        assertThat(there.sql("select max(id) from state_transition")
                        .query(Long.class)
                        .single())
                .isEqualTo(TRANSITIONS + 1L);
    }

    @Test
    void move_again_onlyCompares_andAfterLaterChangesItIsRefused() throws Exception {
        ControlDataSettings target = empty(ControlEngine.DEBIAN);
        List<MovedTable> first = move(target);
        progress.clear();

        assertThat(move(target)).isEqualTo(first);
        assertThat(progress).contains("the database has these rows already");

        JdbcClient there = JdbcClient.create(target.source());
        there.sql("update users set role = 'operator' where name = 'ö'").update();
        assertThatThrownBy(() -> move(target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("of another service, or of later changes")
                .hasMessageContaining("(expected: an empty database)");
        assertThat(there.sql("select role from users where name = 'ö'")
                        .query(String.class)
                        .single())
                .isEqualTo("operator");
        assertSourceIsAsItWas();
    }

    @Test
    void move_ofAFileInUse_isRefused() throws Exception {
        ControlDataSettings target = empty(ControlEngine.DEBIAN);
        try (FileChannel service =
                        FileChannel.open(data.resolve(ControlFile.NAME), StandardOpenOption.WRITE);
                var lock = service.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(() -> move(target))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use (expected: a service that is stopped)");
        }
    }

    @Test
    void move_withoutAFile_orOfAnOlderVersion_isRefused() throws Exception {
        ControlDataSettings target = empty(ControlEngine.DEBIAN);
        JdbcClient.create(database(data))
                .sql("delete from \"flyway_schema_history\" where \"version\" = '64'")
                .update();
        assertThatThrownBy(() -> move(target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the migrations [64] are missing")
                .hasMessageContaining("started with once");

        Files.delete(data.resolve(ControlFile.NAME));
        assertThatThrownBy(() -> move(target))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "missing (expected: the data directory of a central service)");
        assertThat(data.resolve(ControlFile.NAME)).doesNotExist();
    }

    @Test
    void move_intoAnOldDatabaseServerOrNone_namesTheSetting() {
        ControlDataSettings none =
                new ControlDataSettings("jdbc:postgresql://127.0.0.1:1/none", "komainu", "");
        assertThatThrownBy(() -> move(none))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("jdbc:postgresql://127.0.0.1:1/none")
                .hasMessageContaining("does not respond");
    }

    /** Killed at ten instants of the time that a whole move takes, then carried out. */
    @Test
    void move_killedAtRandomInstants_leavesNoRowsOrAll_andCanBeRepeated() throws Exception {
        Map<String, String> scratch = ControlEngine.DEBIAN.settings();
        long begun = System.nanoTime();
        assertThat(process(scratch).waitFor()).isZero();
        long whole = System.nanoTime() - begun;

        Map<String, String> settings = ControlEngine.DEBIAN.settings();
        ControlDataSettings target = new ControlDataSettings(
                Objects.requireNonNull(settings.get("komainu.control.url")),
                PostgresqlServer.USER,
                PostgresqlServer.PASSWORD);
        Random random = new Random(29);
        int killed = 0;
        for (int i = 0; i < KILLS; i++) {
            Process move = process(settings);
            if (!move.waitFor(
                    (long) (whole * (0.3 + 0.7 * random.nextDouble())), TimeUnit.NANOSECONDS)) {
                killed++;
            }
            move.destroyForcibly().waitFor();
            assertThat(data.resolve(ControlFile.NAME))
                    .as("the source, after kill %d", i)
                    .hasSameBinaryContentAs(filled.resolve(ControlFile.NAME));
        }
        assertThat(killed).isPositive();

        assertThat(move(target))
                .allSatisfy(table -> assertThat(table.there()).isEqualTo(table.here()));
        assertSourceIsAsItWas();
    }

    private Process process(Map<String, String> settings) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MoveCommand.class.getName(),
                        "--data",
                        data.toString(),
                        "--to",
                        Objects.requireNonNull(settings.get("komainu.control.url")),
                        "--user",
                        Objects.requireNonNull(settings.get("komainu.control.user")),
                        "--password-file",
                        Objects.requireNonNull(settings.get("komainu.control.password-file")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
