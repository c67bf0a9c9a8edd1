package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.central.control.ControlSchema;
import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.kit.Nightly;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The control data of 0.1.0, and an empty database, whose upgrade is killed in the middle of each
 * migration: the next start has the newest tables, and the same rows as without the kill.
 */
class UpgradeKillTest {

    private static final Path RELEASE = GoldenFiles.V0_1_0;
    private static final String REACHED = "reached";

    @TempDir
    private static Path directory;

    private static Map<String, TableSum> undisturbed;

    /**
     * Some migrations that cannot be repeated in the same file when they were cut in the middle.
     */
    private static final Set<String> SEVERAL_CHANGES = Set.of("41", "49", "57");

    /** Versions of the migrations that a file of 0.1.0 lacks, in their order. */
    static Stream<String> lacking() throws Exception {
        Path data = Files.createTempDirectory("komainu-upgrade");
        GoldenFiles.unpack(RELEASE, "central", data.resolve("central"));
        Set<String> lacking = new TreeSet<>(Comparator.comparingInt(Integer::parseInt));
        lacking.addAll(H2Migrations.all().keySet());
        try (Connection connection = database(data.resolve("central")).getConnection()) {
            JdbcControlData.migrations(connection).forEach(lacking::remove);
        }
        if (!Nightly.isOn()) {
            lacking.retainAll(SEVERAL_CHANGES);
            assertThat(lacking).hasSameSizeAs(SEVERAL_CHANGES);
        }
        return lacking.stream();
    }

    private static DataSource database(Path data) {
        return new DriverManagerDataSource(
                "jdbc:h2:file:" + data.resolve("control"), ControlFile.USER, "");
    }

    private static void start(Path data, Consumer<DataSource> migrations) throws Exception {
        assertThat(ControlFile.prepare(data, Clock.systemUTC(), migrations)).isEmpty();
    }

    private static ControlSchema schema() {
        return new ControlSchema(new ControlDataSettings(null, "komainu", ""));
    }

    private static void migrate(DataSource source) {
        schema().migrate(schema().flyway(source));
    }

    @BeforeAll
    static void upgradeUndisturbed() throws Exception {
        Path data = GoldenFiles.unpack(RELEASE, "central", directory.resolve("undisturbed"));
        start(data, UpgradeKillTest::migrate);
        undisturbed = sums(data);
        assertThat(undisturbed.get("users").rows()).isPositive();
    }

    private static Map<String, TableSum> sums(Path data) throws Exception {
        // V3 and V58 count from the instant of the upgrade.
        JdbcClient jdbc = JdbcClient.create(database(data));
        jdbc.sql("update tokens set expires = created where expires is not null")
                .update();
        jdbc.sql("update users set one_time_until = null where one_time_until is not null")
                .update();
        Map<String, TableSum> sums = new TreeMap<>();
        List<String> versions = new JdbcControlData(database(data)).export(new ControlData.Sink() {
            @Override
            public OutputStream open(String table) {
                return OutputStream.nullOutputStream();
            }

            @Override
            public void written(String table, TableSum sum) {
                sums.put(table, sum);
            }
        });
        assertThat(versions)
                .containsExactlyInAnyOrderElementsOf(H2Migrations.all().keySet());
        return sums;
    }

    @ParameterizedTest(name = "V {0}")
    @MethodSource("lacking")
    void killedInTheMiddleOfAMigration_theNextStartHasAllTablesAndRows(String version)
            throws Exception {
        Path data = GoldenFiles.unpack(RELEASE, "central", directory.resolve("V" + version));

        kill(data, version);
        start(data, UpgradeKillTest::migrate);

        assertThat(sums(data)).isEqualTo(undisturbed);
        assertThat(data.resolve(ControlUpgrade.COPIED + ".mv.db")).doesNotExist();
        assertThat(UpgradeCopy.newestFirst(data.resolve(ControlCopies.DIRECTORY)))
                .isNotEmpty();
    }

    /** Lets a process upgrade the data, and kills it after some statements of a migration. */
    private static void kill(Path data, String version) throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Victim.class.getName(),
                        data.toString(),
                        version)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        boolean isReached = false;
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                if (line.equals(REACHED)) {
                    isReached = true;
                    child.toHandle().destroyForcibly();
                }
            }
        }
        child.waitFor();
        assertThat(isReached).as("migration %s", version).isTrue();
    }

    /** The process to kill: stands still in a migration after about half of its statements. */
    static final class Victim implements Callback {

        private final String version;
        private boolean isRunning;
        private int statements;

        private Victim(String version) {
            this.version = version;
        }

        public static void main(String[] args) throws Exception {
            Victim victim = new Victim(args[1]);
            start(Path.of(args[0]), source -> victim.migrate(source));
        }

        private void migrate(DataSource source) {
            Flyway flyway = schema().flyway(new DelegatingDataSource(source) {
                @Override
                public Connection getConnection() throws SQLException {
                    return observed(super.getConnection());
                }
            });
            schema().migrate(Flyway.configure()
                    .configuration(flyway.getConfiguration())
                    .callbacks(this)
                    .load());
        }

        private Connection observed(Connection connection) {
            return proxy(Connection.class, connection);
        }

        private <T> T proxy(Class<T> type, T target) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        try {
                            Object result = method.invoke(target, arguments);
                            if (method.getName().equals("execute") && isRunning) {
                                executed();
                            }
                            return method.getName().equals("createStatement")
                                    ? proxy(Statement.class, (Statement) result)
                                    : result;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }));
        }

        private void executed() throws InterruptedException, IOException {
            statements++;
            if (statements >= (all() + 1) / 2) {
                System.out.println(REACHED);
                System.out.flush();
                new CountDownLatch(1).await();
            }
        }

        /** Returns the number of statements of the migration. */
        private long all() throws IOException {
            return H2Migrations.all()
                    .get(version)
                    .getContentAsString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line ->
                            !line.startsWith("--") && line.stripTrailing().endsWith(";"))
                    .count();
        }

        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.BEFORE_EACH_MIGRATE;
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return true;
        }

        @Override
        public void handle(Event event, Context context) {
            isRunning = context.getMigrationInfo().getVersion().toString().equals(version);
        }

        @Override
        public String getCallbackName() {
            return "victim";
        }
    }
}
