package dev.komainu.central.control;

import dev.komainu.central.room.ReservedFiles;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Settings of this package.
 *
 * @param url JDBC address of PostgreSQL; absent: H2 in the data directory
 * @param user name of the database's role
 * @param password its password; empty: none
 */
public record ControlDataSettings(@Nullable String url, String user, String password) {

    /**
     * Limits of PostgreSQL's driver, in seconds. A server that stopped responding holds a thread
     * for that time at most. A value in the URL has precedence.
     */
    private static final Map<String, String> DRIVER_LIMITS = Map.of(
            "connectTimeout", "4",
            "socketTimeout", "15",
            "tcpKeepAlive", "true",
            "ApplicationName", "komainu-central");

    private static final String LEASE_SECONDS = "3";

    /** Milliseconds for the check of an idle connection; below the pool's limit for a new one. */
    private static final String VALIDATION_MILLIS = "2000";

    private static final Setting<String> URL = Setting.of(
                    "komainu.control.url", ControlUrl.FORM, ControlUrl::parse)
            .effect(
                    "PostgreSQL database of the control data; without it they are in `control.mv.db`")
            .detail("""
                    PostgreSQL 15 or newer, with an empty database of its own that belongs to `komainu.control.user`. The
                    options are those of [PostgreSQL's driver](https://jdbc.postgresql.org/documentation/use/): for a server
                    on another host give `sslmode=verify-full` and `sslrootcert=FILE`, or state another `sslmode`. Several
                    hosts are separated by commas, with `targetServerType=primary`. Passwords are refused here, because
                    this text is shown: `komainu.control.password-file`.

                    Telemetry stays in `komainu.data`, and so do keys and `first-password`. `./komainu move`
                    copies what is in `control.mv.db`. How pages and ingest behave while the server is away:
                    [control data](../architecture.md#control-data).
                    """);
    private static final Setting<String> USER = Setting.text(
                    "komainu.control.user", "a role", "[^\\p{Cntrl}]{1,63}")
            .byDefault("komainu")
            .effect("Role of PostgreSQL with which this service logs in");
    private static final Setting<Path> PASSWORD_FILE = Setting.path(
                    "komainu.control.password-file", "a file")
            .effect("File with the role's password on its first line (mode 600)")
            .detail("""
                    Without it no password is sent: for `peer`, `trust` and certificates (`sslcert`, `sslkey`).
                    """);

    /** Reads the settings, and the password from its file. */
    public static ControlDataSettings read(SettingReader reader) {
        String url = reader.find(URL);
        String user = reader.get(USER);
        Path file = reader.find(PASSWORD_FILE);
        if (url == null && file != null) {
            reader.mistake(PASSWORD_FILE, "none without komainu.control.url");
        }
        return new ControlDataSettings(
                url, user, url == null || file == null ? "" : password(reader, file));
    }

    private static String password(SettingReader reader, Path file) {
        try {
            String first = Files.readString(file).lines().findFirst().orElse("").strip();
            if (!first.isEmpty()) {
                return first;
            }
            reader.mistake(PASSWORD_FILE, file, "a file with a password on its first line");
        } catch (IOException e) {
            reader.mistake(PASSWORD_FILE, file, "a file that can be read");
        }
        return "";
    }

    /** Reports whether the control data are on PostgreSQL. */
    public boolean onPostgresql() {
        return url != null;
    }

    /**
     * Returns the properties of Spring's data source and of Flyway.
     *
     * @param data directory of all stored data
     */
    public Map<String, Object> spring(Path data) {
        Map<String, Object> all = new LinkedHashMap<>();
        if (url == null) {
            // WRITE_DELAY=0: an acknowledged write survives kill -9, and with ForcedFiles a loss of
            // power. RETENTION_TIME=0: the place of a changed page is used again at once, which
            // H2 allows where writes are forced; by default each commit lets the file grow by
            // 15 KB for 45 s, also on a full disk. CACHE_SIZE in KB.
            all.put(
                    "spring.datasource.url",
                    "jdbc:h2:" + ReservedFiles.scheme() + ":" + ForcedFiles.scheme() + ":"
                            + data.resolve("control")
                            + ";WRITE_DELAY=0;RETENTION_TIME=0;CACHE_SIZE=4096;DB_CLOSE_ON_EXIT=FALSE");
            all.put("spring.datasource.username", "komainu");
            all.put("spring.datasource.password", "");
        } else {
            // User and password follow in ControlWiring: Spring would replace a ${…} in them.
            all.put("spring.datasource.url", url);
            all.put("spring.datasource.hikari.validation-timeout", VALIDATION_MILLIS);
            // The pool would print a stack trace; ControlSchema tells the reason in a line.
            all.put("spring.datasource.hikari.initialization-fail-timeout", "-1");
            // The service works without the database, so it is healthy: ingest must not be turned
            // away.
            all.put("management.health.db.enabled", false);
            DRIVER_LIMITS.forEach((name, value) ->
                    all.put("spring.datasource.hikari.data-source-properties." + name, value));
        }
        all.put(
                "spring.flyway.locations",
                String.join(",", ControlSchema.locations(onPostgresql())));
        return all;
    }

    /**
     * Returns PostgreSQL for a command, which needs no pool.
     *
     * @throws IllegalStateException for H2
     */
    public DataSource source() {
        if (url == null) {
            throw new IllegalStateException("no komainu.control.url");
        }
        DriverManagerDataSource source = new DriverManagerDataSource(url, user, password);
        Properties limits = new Properties();
        limits.putAll(DRIVER_LIMITS);
        source.setConnectionProperties(limits);
        return source;
    }

    /**
     * Returns PostgreSQL for the lease: a server that does not respond is noticed within one time
     * of the lease.
     *
     * @throws IllegalStateException for H2
     */
    public DataSource leaseSource() {
        DriverManagerDataSource source = (DriverManagerDataSource) source();
        Properties limits = new Properties();
        limits.putAll(Objects.requireNonNull(source.getConnectionProperties()));
        limits.setProperty("connectTimeout", LEASE_SECONDS);
        limits.setProperty("socketTimeout", LEASE_SECONDS);
        limits.setProperty("ApplicationName", "komainu-central lease");
        source.setConnectionProperties(limits);
        return source;
    }

    /** Returns the end of a start for which the database is not fit. */
    public ControlRefusedException refused(String what) {
        return refused(what, null);
    }

    /** Returns the end of a start for which the database is not there. */
    public ControlRefusedException refused(SQLException e) {
        return refused(ControlDataFailure.of(e).startText(), e);
    }

    ControlRefusedException refused(String what, @Nullable Exception cause) {
        return new ControlRefusedException("komainu.control.url: " + url + ": " + what, cause);
    }

    /** Returns the settings without the password. */
    @Override
    public String toString() {
        return "ControlDataSettings[url=" + url + ", user=" + user + "]";
    }
}
