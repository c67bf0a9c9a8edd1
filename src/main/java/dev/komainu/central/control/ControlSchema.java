package dev.komainu.central.control;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;

/**
 * The check and migration of the schema at the start: the server responds, is new enough, and its
 * schema is not newer than this build. Runs once, before any store is created.
 *
 * <p>The history has one numbering. Up to {@value #SQUASHED} the migrations of H2 are those that
 * releases shipped, byte for byte; PostgreSQL gets their sum as one migration of that number. Later
 * ones are written once, for both.
 */
public final class ControlSchema implements FlywayMigrationStrategy {

    /** Number of the migration that creates PostgreSQL's schema at once. */
    static final int SQUASHED = 64;

    /** The first version with MERGE. */
    static final int LEAST_POSTGRESQL = 15;

    private static final Logger LOG = LoggerFactory.getLogger(ControlSchema.class);

    private static final Set<MigrationState> FUTURE =
            Set.of(MigrationState.FUTURE_SUCCESS, MigrationState.FUTURE_FAILED);

    private final ControlDataSettings settings;

    public ControlSchema(ControlDataSettings settings) {
        this.settings = settings;
    }

    /** Returns the places of the migrations. */
    static List<String> locations(boolean postgresql) {
        return List.of(
                postgresql ? "classpath:db/postgresql" : "classpath:db/h2",
                "classpath:db/migration");
    }

    /** Returns the migrations of these settings over a database. */
    public Flyway flyway(DataSource source) {
        return Flyway.configure()
                .dataSource(source)
                .locations(locations(settings.onPostgresql()).toArray(String[]::new))
                .outOfOrder(true)
                .load();
    }

    @Override
    public void migrate(Flyway flyway) {
        if (settings.onPostgresql()) {
            checkServer(Objects.requireNonNull(flyway.getConfiguration().getDataSource()));
        }
        try {
            refuseNewer(flyway);
            flyway.migrate();
        } catch (FlywayException e) {
            if (settings.onPostgresql()) {
                throw refused(
                        firstLine(e) + " (expected: an empty database, or one of Komainu)", e);
            }
            throw e;
        }
    }

    private void checkServer(DataSource source) {
        try (Connection connection = source.getConnection()) {
            int version = connection.getMetaData().getDatabaseMajorVersion();
            if (version < LEAST_POSTGRESQL) {
                throw refused(
                        "PostgreSQL " + version + " (expected: " + LEAST_POSTGRESQL + " or newer)",
                        null);
            }
            String encoding = encoding(connection);
            if (!encoding.equals("UTF8")) {
                throw refused("encoding " + encoding + " (expected: UTF8)", null);
            }
            LOG.info(
                    "Control data are on PostgreSQL {}: {}",
                    connection.getMetaData().getDatabaseProductVersion(),
                    settings.url());
        } catch (SQLException e) {
            throw refused(ControlDataFailure.of(e).startText(), e);
        }
    }

    private static String encoding(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show server_encoding")) {
            return row.next() ? row.getString(1) : "unknown";
        }
    }

    private void refuseNewer(Flyway flyway) {
        List<MigrationInfo> newer = Arrays.stream(flyway.info().all())
                .filter(migration -> FUTURE.contains(migration.getState()))
                .toList();
        if (newer.isEmpty()) {
            return;
        }
        String last = String.valueOf(newer.getLast().getVersion());
        String text = "schema " + last
                + " is newer than this build (expected: the build that made it, or a backup from before)";
        throw settings.onPostgresql()
                ? refused(text, null)
                : new ControlRefusedException("komainu.data: " + text, null);
    }

    private ControlRefusedException refused(String what, @Nullable Exception cause) {
        return settings.refused(what, cause);
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
    }
}
