package dev.komainu.central.backup;

import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.store.DuckStore;
import dev.komainu.central.store.SettableClock;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.flywaydb.core.Flyway;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An installation with rows in some tables, telemetry of three days, and keys. */
final class SomeInstallation implements AutoCloseable {

    final Path data;
    final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    final JdbcDataSource database = new JdbcDataSource();
    final JdbcClient jdbc = JdbcClient.create(database);
    final SomeRecords some = new SomeRecords(1);
    DuckStore store;
    private long sequence;

    SomeInstallation(Path data) throws Exception {
        this.data = Files.createDirectories(data);
        database.setURL("jdbc:h2:file:" + data.resolve("control") + ";DB_CLOSE_DELAY=-1");
        database.setUser("komainu");
        migrations(database).migrate();
        jdbc.sql(
                        "insert into users (name, role, password_hash, must_change_password)"
                                + " values ('admin', 'administrator', 'x', false), ('ö', 'viewer', 'y', true)")
                .update();
        for (int i = 0; i < 200; i++) {
            jdbc.sql("insert into state_transition (service, at_second, from_state, to_state, rule,"
                            + " cause_en, cause_ja, evidence) values (?, ?, 'normal', 'failing', 'r',"
                            + " 'en', '日本語', ?)")
                    .params("web:" + i % 7, i, "{\"evidence\":" + i + "}".repeat(i))
                    .update();
        }
        Files.writeString(data.resolve("order-key"), "the private key of orders\n");
        Files.createDirectories(data.resolve("authority"));
        Files.writeString(data.resolve("authority/authority.key"), "the key of the authority\n");
        store = new DuckStore(StoreSettings.of(data.resolve("telemetry")), clock);
        addDay();
        addDay();
        addDay();
    }

    static Flyway migrations(JdbcDataSource database) {
        return Flyway.configure()
                .dataSource(database)
                .locations("classpath:db/h2", "classpath:db/migration")
                .outOfOrder(true)
                .load();
    }

    private void addDay() throws Exception {
        if (sequence > 0) {
            clock.pass(Duration.ofHours(24));
        }
        for (int i = 0; i < 20; i++) {
            append();
        }
        // The file of a day is complete when the store was closed after it.
        store.close();
        store = new DuckStore(StoreSettings.of(data.resolve("telemetry")), clock);
    }

    /** Stores a batch of the source {@code probe}, and returns its sequence. */
    long append() throws InterruptedException {
        store.append(some.batch("probe", ++sequence, 30, SomeRecords.START, 3_600_000_000L));
        return sequence;
    }

    Installation installation() {
        return installation(new JdbcControlData(database));
    }

    Installation installation(ControlData control) {
        return new Installation(
                "test",
                data.resolve("backup"),
                control,
                store,
                Map.of(
                        "order-key",
                        data.resolve("order-key"),
                        "authority/authority.key",
                        data.resolve("authority/authority.key"),
                        "secret-key",
                        data.resolve("secret-key")),
                "komainu.listen: \"127.0.0.1:7600\"\n",
                List.of("the moon"));
    }

    Manifest backup(Path to) throws IOException {
        return backup(to, null, stage -> {});
    }

    Manifest backup(Path to, String passphrase, Consumer<BackupStage> progress) throws IOException {
        return backup(installation(), to, passphrase, progress);
    }

    Manifest backup(
            Installation installation, Path to, String passphrase, Consumer<BackupStage> progress)
            throws IOException {
        char[] secret = passphrase == null ? null : passphrase.toCharArray();
        try (BackupTarget target = BackupTarget.open(to, secret, clock.instant(), bytes -> {})) {
            return new BackupWork(installation, target, clock, progress).run();
        }
    }

    @Override
    public void close() {
        store.close();
        jdbc.sql("shutdown").update();
    }
}
