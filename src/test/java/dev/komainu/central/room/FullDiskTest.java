package dev.komainu.central.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.CentralClient;
import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.kit.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A complete service under load whose disk another program fills up to the last block: users log
 * in, batches are refused or stored as a whole, an alert says so, and all goes on by itself when
 * there is room again. The times are printed.
 */
class FullDiskTest {

    private static final Logger LOG = LoggerFactory.getLogger(FullDiskTest.class);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MEGABYTES = 160;
    private static final int SENT_BY_REPORTER = 200;
    private static final int LOGINS = 3;
    /** Time for which the disk stays full in the long run. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** What happens to batches while a disk is full. */
    private enum Batches {
        STORED,
        REFUSED,
        /** Stored, until their changes of control data have taken half of the reserve. */
        EITHER
    }

    /** Not JUnit's, which other users cannot enter: PostgreSQL runs as one. */
    private Path work;

    private final Map<String, Long> millis = new LinkedHashMap<>();

    @BeforeEach
    void create() throws IOException {
        work = Files.createTempDirectory("komainu-full-disk");
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwx--x--x"));
    }

    @AfterEach
    void delete() throws IOException {
        FileSystemUtils.deleteRecursively(work);
    }

    @Test
    void bothStoresOnOneDisk() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(work.resolve("disk"), MEGABYTES);
                FullDiskStage stage = new FullDiskStage(work, disk.root().resolve("central"))) {
            stage.senders().hurry();
            fillAndEmpty(disk, stage, RoomWiring.DATA, Batches.REFUSED, reserveOf(stage));
        }
    }

    @Test
    @Tag(Nightly.TAG)
    void telemetryAlone() throws Exception {
        Path data = work.resolve("central");
        try (SmallDisk disk = SmallDisk.mount(data.resolve("telemetry"), MEGABYTES);
                FullDiskStage stage = new FullDiskStage(work, data)) {
            stage.senders().hurry();
            fillAndEmpty(disk, stage, RoomWiring.TELEMETRY, Batches.REFUSED, () -> true);
        }
    }

    @Test
    @Tag(Nightly.TAG)
    void h2Alone() throws Exception {
        Path data = work.resolve("central");
        try (SmallDisk disk = SmallDisk.mount(data, MEGABYTES);
                SmallDisk other = SmallDisk.mount(data.resolve("telemetry"), MEGABYTES);
                FullDiskStage stage = new FullDiskStage(work, data)) {
            fillAndEmpty(disk, stage, RoomWiring.DATA, Batches.EITHER, reserveOf(stage));
            assertThat(other.free()).as("free for telemetry").isPositive();
        }
    }

    @Test
    @Tag(Nightly.TAG)
    void postgresql() throws Exception {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        try (SmallDisk disk = SmallDisk.mount(work.resolve("disk"), MEGABYTES);
                PostgresqlServer server = PostgresqlServer.debian(disk.root());
                FullDiskStage stage = new FullDiskStage(
                        work,
                        work.resolve("central"),
                        "--komainu.control.url=" + server.url(server.createDatabase(null)),
                        "--komainu.control.user=" + PostgresqlServer.USER,
                        "--komainu.control.password-file=" + server.passwordFile())) {
            fillAndEmpty(
                    disk,
                    stage,
                    "postgresql",
                    Batches.STORED,
                    () -> isReserved(stage, "postgresql"));
        }
    }

    @Test
    @Tag(Nightly.TAG)
    void postgresqlThatCannotWriteItsLog_hasRoomAfterItsRestart() throws Exception {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        try (SmallDisk disk = SmallDisk.mount(work.resolve("disk"), 2 * MEGABYTES);
                PostgresqlServer server = PostgresqlServer.debian(disk.root());
                FullDiskStage stage = new FullDiskStage(
                        work,
                        work.resolve("central"),
                        "--komainu.room.reserve=64MB",
                        "--komainu.control.url=" + server.url(server.createDatabase(null)),
                        "--komainu.control.user=" + PostgresqlServer.USER,
                        "--komainu.control.password-file=" + server.passwordFile())) {
            await("the reserve", () -> isReserved(stage, "postgresql"));
            disk.fill();
            crash(server);
            long crashed = System.nanoTime();
            await("login", () -> stage.login() == 200);
            measure("login", crashed);
            await("alert", () -> stage.isAlerted("postgresql"));
            disk.empty();
            await("the reserve again", () -> isReserved(stage, "postgresql"));
            stage.checkEachBatchOnce();
            LOG.info("PostgreSQL's log was full, milliseconds: {}", millis);
        }
    }

    /** Fills the server's write-ahead log until the server crashes for want of room. */
    private static void crash(PostgresqlServer server) {
        assertThatThrownBy(() -> {
                    try (Connection connection = server.connect("postgres");
                            Statement statement = connection.createStatement()) {
                        for (int megabyte = 0; megabyte < MEGABYTES; megabyte++) {
                            statement.execute("select pg_logical_emit_message(false, 'x',"
                                    + " repeat(md5(random()::text), 30000))");
                        }
                    }
                })
                .isInstanceOf(SQLException.class);
    }

    private static Callable<Boolean> reserveOf(FullDiskStage stage) {
        return () -> stage.bean(Reserve.class).isHeld();
    }

    private static boolean isReserved(FullDiskStage stage, String place) {
        return stage.bean(RoomWatch.class).states().stream()
                .anyMatch(state -> state.place().equals(place) && state.reserved());
    }

    /**
     * Fills the disk, checks what goes on, empties it, and checks that all goes on.
     *
     * @param batches what happens to them while the disk is full
     * @param reserved whether the reserve is there
     */
    private void fillAndEmpty(
            SmallDisk disk,
            FullDiskStage stage,
            String place,
            Batches batches,
            Callable<Boolean> reserved)
            throws Exception {
        await("the reserve, at first", reserved);
        await("batches, at first", () -> stage.senders().acknowledged().size() > 20);
        assertThat(stage.isAlerted(place)).isFalse();
        SomeRecords some = new SomeRecords(9);

        long full = System.nanoTime();
        disk.fill();
        LOG.info("Full after {} ms", millisSince(full));
        for (int i = 0; i < SENT_BY_REPORTER; i++) {
            stage.reporter().accept(some.connection(Instant.now().toEpochMilli() * 1_000 + i));
        }
        if (batches == Batches.REFUSED) {
            await("503", () -> stage.senders().refusedNanos() > full);
            measure("503", full);
        }
        // Changes of control data, without which PostgreSQL does not find its disk full.
        await("login", () -> stage.login() == 200);
        measure("login", full);
        await("alert", () -> {
            int unused = change(stage.session());
            return stage.isAlerted(place);
        });
        measure("alert", full);
        long until = System.nanoTime() + (Nightly.isOn() ? LONG_NANOS : 0);
        for (int i = 0; i < LOGINS || System.nanoTime() - until < 0; i++) {
            await("login again", () -> stage.login() == 200);
            await("change", () -> change(stage.session()) == 201);
        }
        stage.session().get("/api/v1/session").expect(200);
        stage.session().get("/api/v1/overview").expect(200);
        stage.session().get("/api/v1/services").expect(200);
        int before = stage.senders().acknowledged().size();
        if (batches == Batches.STORED) {
            await("stored meanwhile", () -> stage.senders().acknowledged().size() > before + 5);
        }

        long empty = System.nanoTime();
        disk.empty();
        await("stored again", () -> stage.senders().acknowledgedNanos() > empty);
        measure("stored again", empty);
        await("reserve", reserved);
        measure("reserve", empty);
        await("alert's end", () -> !stage.isAlerted(place));
        measure("alert ends", empty);
        await("the alert's end is stored", () -> stage.endedAlerts(place) == 1);
        assertThat(stage.login()).isEqualTo(200);
        await(
                "the reporter's records",
                () -> stage.reporter().status().sentRecords() == SENT_BY_REPORTER);
        assertThat(stage.reporter().drops()).isEmpty();
        stage.checkEachBatchOnce();
        LOG.info(
                "{} disk full, milliseconds: {}; {} batches",
                place,
                millis,
                stage.senders().acknowledged().size());
    }

    private static int change(CentralClient session) {
        return session.post("/api/v1/changes", Map.of("service", "web:0", "title", "x".repeat(200)))
                .status();
    }

    private void measure(String what, long sinceNanos) {
        millis.put(what, millisSince(sinceNanos));
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .pollInterval(Duration.ofMillis(20))
                .atMost(PATIENCE)
                .until(condition);
    }
}
