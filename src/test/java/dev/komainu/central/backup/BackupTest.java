package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.store.DayCopies;
import dev.komainu.central.store.DuckStore;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.store.StoreUpkeep;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of backups, their checks and restores, without a service. */
class BackupTest {

    private static final String PASSPHRASE = "correct horse battery";
    private static final int FLIPS_A_FILE = 2;

    @TempDir
    private Path directory;

    private SomeInstallation origin;
    private Path backup;

    @BeforeEach
    void fill() throws Exception {
        origin = new SomeInstallation(directory.resolve("origin"));
        backup = directory.resolve("backup");
    }

    @AfterEach
    void close() {
        origin.close();
    }

    private List<String> faults() throws IOException {
        return BackupVerification.faults(FinishedBackup.open(backup, null));
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static Map<String, TableSum> tables(JdbcDataSource database) throws Exception {
        Map<String, TableSum> sums = new TreeMap<>();
        new JdbcControlData(database).export(new ControlData.Sink() {
            @Override
            public OutputStream open(String table) {
                return OutputStream.nullOutputStream();
            }

            @Override
            public void written(String table, TableSum sum) {
                sums.put(table, sum);
            }
        });
        return sums;
    }

    private void assertRestored(Path restored, SomeInstallation origin) throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:file:" + restored.resolve("control") + ";IFEXISTS=TRUE");
        database.setUser("komainu");
        assertThat(tables(database)).isEqualTo(tables(origin.database));
        // Flyway finds nothing to do, and nothing that was changed.
        assertThat(SomeInstallation.migrations(database).migrate().migrationsExecuted)
                .isZero();
        assertThat(restored.resolve("order-key"))
                .hasSameBinaryContentAs(origin.data.resolve("order-key"));
        assertThat(restored.resolve("authority/authority.key"))
                .hasSameBinaryContentAs(origin.data.resolve("authority/authority.key"));
        assertThat(restored.resolve("settings.yml")).content().contains("komainu.listen");
        try (Stream<Path> all = Files.walk(restored)) {
            assertThat(all.filter(Files::isRegularFile))
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(file)))
                            .as(file.toString())
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void restore_elsewhere_hasEqualTablesRecordsAndKeys() throws Exception {
        Manifest manifest = origin.backup(backup);
        assertThat(faults()).isEmpty();

        Path restored = directory.resolve("restored");
        new Restore(FinishedBackup.open(backup, null), restored, line -> {}).run();

        assertRestored(restored, origin);
        try (DuckStore store =
                new DuckStore(StoreSettings.of(restored.resolve("telemetry")), origin.clock)) {
            assertThat(store.days()).isEqualTo(origin.store.days()).hasSize(3);
            for (var day : store.days()) {
                assertThat(store.rows(day)).isEqualTo(origin.store.rows(day));
            }
            assertThat(store.storage().batches()).isEqualTo(60);
            assertThat(store.append(SomeRecords.batch("probe", 1)))
                    .isEqualTo(RecordStore.Outcome.DUPLICATE);
        }
        assertThat(manifest.missing()).containsExactly("the moon");
        assertThat(manifest.parts())
                .extracting(BackupPart::name)
                .contains(
                        "control/users.jsonl",
                        "telemetry/2026-11-21.duckdb",
                        "telemetry/2026-11-23.duckdb",
                        "files/order-key",
                        "files/settings.yml")
                .doesNotContain("files/secret-key");
    }

    @Test
    void rollUps_areInTheBackupAndRestoredByteForByte() throws Exception {
        StoreUpkeep.run(origin.store);
        Path telemetry = origin.data.resolve("telemetry");
        List<DayCopies.RollUpCopy> rollUps = origin.store.rollUps();
        assertThat(rollUps).hasSize(2 * 2);

        FinishedBackup.Summary summary = FinishedBackup.summary(origin.backup(backup));

        assertThat(summary.days()).isEqualTo(3);
        assertThat(faults()).isEmpty();
        Path restored = directory.resolve("restored");
        new Restore(FinishedBackup.open(backup, null), restored, line -> {}).run();
        for (DayCopies.RollUpCopy file : rollUps) {
            assertThat(restored.resolve("telemetry").resolve(file.name()))
                    .hasSameBinaryContentAs(telemetry.resolve(file.name()));
        }
        Path changed = backup.resolve("telemetry").resolve(rollUps.getFirst().name());
        Files.write(changed, new byte[] {0}, StandardOpenOption.APPEND);
        assertThat(faults())
                .singleElement()
                .asString()
                .contains(rollUps.getFirst().name());
    }

    @Test
    void restore_intoAPlaceWithFiles_changesNothing() throws Exception {
        origin.backup(backup);
        Path other = Files.createDirectories(directory.resolve("other"));
        Files.writeString(other.resolve("mine"), "mine");

        assertThatThrownBy(() ->
                        new Restore(FinishedBackup.open(backup, null), other, line -> {}).run())
                .hasMessageContaining("not empty");

        assertThat(files(other)).containsExactly(other.resolve("mine"));
    }

    @Test
    void restore_brokenOff_marksTheDirectory() throws Exception {
        origin.backup(backup);
        Path restored = directory.resolve("restored");

        assertThatThrownBy(() -> new Restore(FinishedBackup.open(backup, null), restored, line -> {
                            if (line.startsWith("telemetry/")) {
                                throw new IllegalStateException("killed");
                            }
                        })
                        .run())
                .hasMessage("killed");

        assertThatThrownBy(() -> ControlFile.check(restored, origin.clock))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a restore was broken off");
    }

    /** Each byte of the backup is covered, those of the manifest and its hashes, too. */
    @Test
    void anyByte_flipped_isNamed() throws Exception {
        origin.backup(backup);
        Random random = new Random(11);
        for (Path file : files(backup)) {
            byte[] whole = Files.readAllBytes(file);
            String name = backup.relativize(file).toString();
            for (int i = 0; i < FLIPS_A_FILE + 2; i++) {
                int at = i == 0 ? 0 : i == 1 ? whole.length - 1 : random.nextInt(whole.length);
                byte[] changed = whole.clone();
                changed[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, changed);

                assertThat(told())
                        .as("byte %d of %s", at, name)
                        .singleElement()
                        .satisfies(line -> assertThat(line).startsWith(name + ": "));
            }
            Files.write(file, whole);
        }
        assertThat(told()).isEmpty();
    }

    private List<String> told() {
        try {
            return faults();
        } catch (IOException e) {
            return List.of(e.getMessage());
        }
    }

    @Test
    void file_missingCutOrAdded_isNamed() throws Exception {
        origin.backup(backup);
        Files.delete(backup.resolve("control/users.jsonl"));
        Files.write(backup.resolve("files/order-key"), new byte[] {1});
        Files.writeString(backup.resolve("telemetry/2026-11-30.duckdb"), "more");

        assertThat(faults())
                .hasSize(3)
                .anyMatch(line -> line.equals("control/users.jsonl: missing"))
                .anyMatch(line -> line.startsWith("files/order-key: 1 bytes (expected: "))
                .anyMatch(line ->
                        line.equals("telemetry/2026-11-30.duckdb: not a part of this backup"));
    }

    @Test
    void encrypted_withItsPassphrase_opensAndShowsNothingWithoutIt() throws Exception {
        origin.backup(backup, PASSPHRASE, stage -> {});

        FinishedBackup closed = FinishedBackup.open(backup, null);
        assertThat(closed.isReadable()).isFalse();
        assertThat(BackupVerification.faults(closed)).isEmpty();
        assertThatThrownBy(() -> new Restore(closed, directory.resolve("r"), line -> {}).run())
                .hasMessageContaining("--passphrase-file");
        assertThatThrownBy(() -> FinishedBackup.open(backup, "another passphrase".toCharArray()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the passphrase does not open this backup");
        for (Path file : files(backup)) {
            assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .as(file.toString())
                    .doesNotContain("the private key of orders", "administrator", "password_hash");
        }

        FinishedBackup opened = FinishedBackup.open(backup, PASSPHRASE.toCharArray());
        assertThat(BackupVerification.faults(opened)).isEmpty();
        Path restored = directory.resolve("restored");
        new Restore(opened, restored, line -> {}).run();
        assertRestored(restored, origin);
    }

    /** A manifest that was written without the passphrase has right hashes, and no keyed one. */
    @Test
    void encrypted_manifestReplacedWithRightHashes_isRefused() throws Exception {
        Manifest manifest = origin.backup(backup, PASSPHRASE, stage -> {});
        List<BackupPart> fewer = new ArrayList<>(manifest.parts());
        fewer.removeIf(part -> part.name().equals("files/order-key"));
        Files.delete(backup.resolve("files/order-key"));
        Manifest forged = new Manifest(
                manifest.format(),
                manifest.product(),
                manifest.begun(),
                manifest.control(),
                manifest.telemetry(),
                manifest.migrations(),
                manifest.encryption(),
                manifest.missing(),
                fewer);
        Files.write(backup.resolve(Manifest.FILE), forged.written(null));

        assertThatThrownBy(() -> FinishedBackup.open(backup, PASSPHRASE.toCharArray()))
                .hasMessageContaining("manifest: not written with this passphrase");
    }

    @Test
    void backup_brokenOff_goesOnAndCopiesEarlierDaysOnce() throws Exception {
        assertThatThrownBy(() -> origin.backup(backup, null, stage -> {
                    if (stage == BackupStage.NEWEST_DAYS) {
                        throw new IllegalStateException("killed");
                    }
                }))
                .hasMessage("killed");
        assertThatThrownBy(() -> FinishedBackup.open(backup, null))
                .hasMessageContaining("this one was broken off: repeat ./komainu backup");
        Path early = backup.resolve("telemetry/2026-11-21.duckdb");
        Path second = backup.resolve("telemetry/2026-11-22.duckdb");
        Object kept = Files.getAttribute(early, "unix:ino");
        Object damaged = Files.getAttribute(second, "unix:ino");
        // A part that was damaged meanwhile is copied again; so is what the journal does not end.
        Files.write(second, new byte[] {1}, StandardOpenOption.APPEND);
        Files.writeString(
                backup.resolve(BackupTarget.JOURNAL),
                "{\"mark\":\"half a li",
                StandardOpenOption.APPEND);
        origin.jdbc
                .sql("insert into users (name, role, password_hash, must_change_password)"
                        + " values ('later', 'viewer', 'z', false)")
                .update();
        origin.append();

        origin.backup(backup);

        assertThat(faults()).isEmpty();
        assertThat(Files.getAttribute(early, "unix:ino")).isEqualTo(kept);
        assertThat(Files.getAttribute(second, "unix:ino")).isNotEqualTo(damaged);
        assertThat(backup.resolve(BackupTarget.JOURNAL)).doesNotExist();
        Path restored = directory.resolve("restored");
        new Restore(FinishedBackup.open(backup, null), restored, line -> {}).run();
        assertRestored(restored, origin);
    }

    @Test
    void backup_intoAnUnfitDirectory_isRefusedWithTheReason() throws Exception {
        origin.backup(backup);
        assertThatThrownBy(() -> origin.backup(backup))
                .hasMessageContaining("holds a complete backup");
        Path other = Files.createDirectories(directory.resolve("other"));
        Files.writeString(other.resolve("mine"), "mine");
        assertThatThrownBy(() -> origin.backup(other)).hasMessageContaining("not empty");
        Path half = directory.resolve("half");
        assertThatThrownBy(() -> origin.backup(half, PASSPHRASE, stage -> {
                    throw new IllegalStateException("killed");
                }))
                .hasMessage("killed");
        assertThatThrownBy(() -> origin.backup(half))
                .hasMessageContaining("the backup that was broken off is encrypted");
        assertThatThrownBy(() -> origin.backup(half, "another passphrase", stage -> {}))
                .hasMessageContaining("the passphrase does not open this backup");
    }

    /** Batches arrive all the time; what was acknowledged before the newest days began is in. */
    @Test
    void backup_whileBatchesArrive_hasEachThatWasAcknowledgedBefore() throws Exception {
        ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
        List<Long> before = new ArrayList<>();
        AtomicBoolean ending = new AtomicBoolean();
        Thread sender = Thread.ofPlatform().start(() -> {
            try {
                while (!ending.get()) {
                    acknowledged.add(origin.append());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            origin.backup(backup, null, stage -> {
                if (stage == BackupStage.NEWEST_DAYS) {
                    before.addAll(acknowledged);
                }
            });
        } finally {
            ending.set(true);
            sender.join();
        }

        assertThat(faults()).isEmpty();
        Path restored = directory.resolve("restored");
        new Restore(FinishedBackup.open(backup, null), restored, line -> {}).run();
        try (DuckStore store =
                new DuckStore(StoreSettings.of(restored.resolve("telemetry")), origin.clock)) {
            assertThat(before).isNotEmpty();
            for (long sequence : before) {
                assertThat(store.append(SomeRecords.batch("probe", sequence)))
                        .as("batch %d", sequence)
                        .isEqualTo(RecordStore.Outcome.DUPLICATE);
            }
        }
    }

    @Test
    void restore_ofANewerVersion_isRefusedWithTheReason() throws Exception {
        Manifest manifest = origin.backup(backup);
        List<String> migrations = new ArrayList<>(manifest.migrations());
        migrations.add("99999");
        Manifest newer = new Manifest(
                manifest.format(),
                manifest.product(),
                manifest.begun(),
                manifest.control(),
                manifest.telemetry(),
                migrations,
                null,
                manifest.missing(),
                manifest.parts());
        Files.write(backup.resolve(Manifest.FILE), newer.written(null));

        assertThatThrownBy(() -> new Restore(
                                FinishedBackup.open(backup, null),
                                directory.resolve("restored"),
                                line -> {})
                        .run())
                .hasMessageContaining("the migrations [99999] are not known");
    }
}
