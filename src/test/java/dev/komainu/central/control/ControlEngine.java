package dev.komainu.central.control;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.ResourcePatternResolver;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The databases on which the stores of control data are tested. Each server is started once for a
 * test JVM.
 */
public enum ControlEngine {
    H2 {
        @Override
        public DataSource empty() {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:mem:control-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            return source;
        }

        @Override
        public DataSource fresh() {
            DataSource source = empty();
            // Not by Flyway, which takes ten times as long.
            new ResourceDatabasePopulator(migrations()).execute(source);
            return source;
        }
    },
    /** The oldest version that is supported. */
    DEBIAN {
        @Override
        PostgresqlServer started() {
            assumeTrue(
                    PostgresqlServer.isDebianHere(),
                    "PostgreSQL 15: not installed here (apt-get install postgresql)");
            return PostgresqlServer.debian();
        }
    },
    /** The newest one. */
    NEWEST {
        @Override
        PostgresqlServer started() {
            assumeTrue(
                    PostgresqlServer.isEmbeddedHere(),
                    "The newest PostgreSQL: no programs for this processor");
            return PostgresqlServer.newest();
        }
    };

    /** Name of the property that chooses the database of all other tests of a JVM. */
    private static final String PROPERTY = "test.control";

    private static final String MIGRATED = "migrated";

    /** Databases that exist at a time; a test uses two at most. */
    private static final int MOST_LENT = 6;

    private @Nullable PostgresqlServer server;
    private final Deque<Lent> lent = new ArrayDeque<>();

    /** Returns the database that this JVM's tests use unless they name one; H2 by default. */
    public static ControlEngine ofThisRun() {
        return valueOf(System.getProperty(PROPERTY, "h2").toUpperCase(Locale.ROOT));
    }

    PostgresqlServer started() {
        throw new UnsupportedOperationException(name());
    }

    /** Returns the server, with a database {@value #MIGRATED} that has the whole schema. */
    public synchronized PostgresqlServer server() {
        PostgresqlServer running = server;
        if (running == null) {
            running = started();
            running.execute("create database " + MIGRATED);
            try (HikariDataSource source = pool(running, MIGRATED)) {
                migrate(source, ControlSchema.locations(true));
            }
            server = running;
        }
        return running;
    }

    /** Returns a new database with the whole schema. */
    public DataSource fresh() {
        return lent(MIGRATED);
    }

    /** Returns a new database without tables. */
    public DataSource empty() {
        return lent(null);
    }

    /** Creates a database for a test, and drops that of a test long before: each takes 8 MB. */
    private synchronized DataSource lent(@Nullable String template) {
        PostgresqlServer running = server();
        Lent fresh = new Lent(running.createDatabase(template), running);
        lent.addLast(fresh);
        if (lent.size() > MOST_LENT) {
            lent.removeFirst().drop();
        }
        return fresh.pool();
    }

    /** A database of a test. */
    private record Lent(String name, PostgresqlServer server, HikariDataSource pool) {
        Lent(String name, PostgresqlServer server) {
            this(name, server, ControlEngine.pool(server, name));
        }

        void drop() {
            pool.close();
            server.execute("drop database " + name + " with (force)");
        }
    }

    /**
     * Returns the settings of a central service over a new empty database; none for H2, which has a
     * file in each data directory.
     */
    public Map<String, String> settings() {
        if (this == H2) {
            return Map.of();
        }
        PostgresqlServer running = server();
        return Map.of(
                "komainu.control.url",
                running.url(running.createDatabase(null)),
                "komainu.control.user",
                PostgresqlServer.USER,
                "komainu.control.password-file",
                running.passwordFile().toString());
    }

    private static HikariDataSource pool(PostgresqlServer server, String database) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url(database));
        config.setUsername(PostgresqlServer.USER);
        config.setPassword(PostgresqlServer.PASSWORD);
        config.setMaximumPoolSize(4);
        config.setMinimumIdle(0);
        config.setIdleTimeout(10_000);
        return new HikariDataSource(config);
    }

    /** Returns the migrations of H2 in their order. */
    private static Resource[] migrations() {
        ResourcePatternResolver files = new PathMatchingResourcePatternResolver();
        return Stream.of("classpath:db/h2/*.sql", "classpath:db/migration/*.sql")
                .flatMap(pattern -> {
                    try {
                        return Arrays.stream(files.getResources(pattern));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .sorted(Comparator.comparingInt(file -> Integer.parseInt(
                        String.valueOf(file.getFilename()).replaceFirst("V(\\d+)__.*", "$1"))))
                .toArray(Resource[]::new);
    }

    private static void migrate(DataSource source, List<String> locations) {
        Flyway.configure()
                .dataSource(source)
                .locations(locations.toArray(String[]::new))
                .outOfOrder(true)
                .load()
                .migrate();
    }
}
