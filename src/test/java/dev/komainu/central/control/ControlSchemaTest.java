package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.wire.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Compares the schema of PostgreSQL with that of H2, and tests which schemas are refused. */
class ControlSchemaTest {

    /**
     * Digest of the migrations that releases shipped: Flyway refuses a directory when one changed.
     */
    private static final String RELEASED =
            "fecf72931854e1c8ec914509a948a87bc9dcb99291f227b9f718f628a864aa9d";

    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("character varying", "varchar"),
            Map.entry("character", "varchar"),
            Map.entry("bpchar", "varchar"),
            Map.entry("character large object", "text"),
            Map.entry("int8", "bigint"),
            Map.entry("bigserial", "bigint"),
            Map.entry("int4", "integer"),
            Map.entry("bool", "boolean"),
            Map.entry("float8", "double precision"),
            Map.entry("decimal", "numeric"),
            Map.entry("timestamptz", "timestamp with time zone"));

    @Test
    void migrationsOfH2_areAsReleased() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(Path.of("main/resources/db/h2"))) {
            for (Path file : files.sorted(Comparator.comparingInt(ControlSchemaTest::number))
                    .toList()) {
                all.append(Files.readString(file));
            }
        }
        assertThat(Sha256.hex(all.toString())).isEqualTo(RELEASED);
    }

    private static int number(Path file) {
        return Integer.parseInt(file.getFileName().toString().replaceFirst("V(\\d+)__.*", "$1"));
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void schemaOfPostgresql_isThatOfH2(ControlEngine engine) throws SQLException {
        DataSource postgresql = engine.fresh();
        DataSource h2 = ControlEngine.H2.fresh();

        assertThat(tables(postgresql)).isEqualTo(tables(h2)).hasSizeGreaterThan(30);
        assertThat(keys(postgresql)).isEqualTo(keys(h2)).isNotEmpty();
        assertThat(indexes(postgresql)).isEqualTo(indexes(h2)).isNotEmpty();
        for (String rows : List.of(
                "select id || version || body from alert_rule order by position",
                "select one || ' ' || sequence || ' ' || hash from audit_chain")) {
            assertThat(texts(postgresql, rows)).isEqualTo(texts(h2, rows)).isNotEmpty();
        }
    }

    private static List<String> texts(DataSource source, String sql) {
        return JdbcClient.create(source).sql(sql).query(String.class).list();
    }

    @ParameterizedTest
    @EnumSource
    void migrate_twice_changesNothing(ControlEngine engine) {
        DataSource source = engine.empty();
        Flyway flyway = flyway(engine, source);
        schema(engine).migrate(flyway);
        schema(engine).migrate(flyway);

        assertThat(flyway.info().pending()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void schemaOfALaterBuild_isRefused(ControlEngine engine) {
        DataSource source = engine.empty();
        schema(engine).migrate(flyway(engine, source));
        JdbcClient.create(source).sql("""
                        insert into "flyway_schema_history" ("installed_rank", "version", "description", "type", "script",
                            "checksum", "installed_by", "execution_time", "success")
                        values (900, '9000', 'later', 'SQL', 'V9000__later.sql', 1, 'test', 1, true)""").update();

        assertThatThrownBy(() -> schema(engine).migrate(flyway(engine, source)))
                .isInstanceOf(ControlRefusedException.class)
                .hasMessageContaining("schema 9000 is newer than this build (expected: ");
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void databaseOfAnotherProgram_isRefused(ControlEngine engine) {
        DataSource source = engine.empty();
        JdbcClient.create(source).sql("create table customers (id int)").update();

        assertThatThrownBy(() -> schema(engine).migrate(flyway(engine, source)))
                .isInstanceOf(ControlRefusedException.class)
                .hasMessageStartingWith("komainu.control.url: jdbc:postgresql://")
                .hasMessageEndingWith(" (expected: an empty database, or one of Komainu)");
        assertThat(texts(source, "select count(*) from customers")).containsExactly("0");
    }

    private static ControlSchema schema(ControlEngine engine) {
        return new ControlSchema(new ControlDataSettings(
                engine == ControlEngine.H2 ? null : engine.server().url("any"), "komainu", ""));
    }

    private static Flyway flyway(ControlEngine engine, DataSource source) {
        return Flyway.configure()
                .dataSource(source)
                .locations(
                        ControlSchema.locations(engine != ControlEngine.H2).toArray(String[]::new))
                .outOfOrder(true)
                .load();
    }

    /** Returns the columns of each table: name, type, length, whether it may be null, default. */
    private static Map<String, List<String>> tables(DataSource source) throws SQLException {
        Map<String, List<String>> tables = new TreeMap<>();
        try (Connection connection = source.getConnection();
                ResultSet columns =
                        meta(connection).getColumns(null, schemaOf(connection), "%", "%")) {
            while (columns.next()) {
                String table = lower(columns.getString("TABLE_NAME"));
                if (table.equals("flyway_schema_history")) {
                    continue;
                }
                String named = lower(columns.getString("TYPE_NAME"));
                String type = TYPES.getOrDefault(named, named);
                String length = type.equals("varchar")
                        ? "(" + columns.getInt("COLUMN_SIZE") + ")"
                        : type.equals("numeric")
                                ? "(" + columns.getInt("COLUMN_SIZE") + ","
                                        + columns.getInt("DECIMAL_DIGITS") + ")"
                                : "";
                boolean identity = columns.getString("IS_AUTOINCREMENT").equals("YES");
                String value = columns.getString("COLUMN_DEF");
                tables.computeIfAbsent(table, name -> new ArrayList<>())
                        .add(lower(columns.getString("COLUMN_NAME")) + " " + type + length
                                + (columns.getInt("NULLABLE") == DatabaseMetaData.columnNoNulls
                                        ? " not null"
                                        : "")
                                + (identity ? " identity" : "")
                                + (value == null || identity ? "" : " default " + lower(value)));
            }
        }
        return tables;
    }

    /** Returns primary and foreign keys. */
    private static Set<String> keys(DataSource source) throws SQLException {
        Set<String> keys = new TreeSet<>();
        try (Connection connection = source.getConnection()) {
            for (String table : names(connection)) {
                Map<Integer, String> primary = new TreeMap<>();
                try (ResultSet rows =
                        meta(connection).getPrimaryKeys(null, schemaOf(connection), table)) {
                    while (rows.next()) {
                        primary.put(rows.getInt("KEY_SEQ"), lower(rows.getString("COLUMN_NAME")));
                    }
                }
                keys.add(lower(table) + " primary " + primary.values());
                try (ResultSet rows =
                        meta(connection).getImportedKeys(null, schemaOf(connection), table)) {
                    while (rows.next()) {
                        keys.add(lower(table) + "." + lower(rows.getString("FKCOLUMN_NAME"))
                                + " -> "
                                + lower(rows.getString("PKTABLE_NAME")) + "."
                                + lower(rows.getString("PKCOLUMN_NAME")) + " on delete "
                                + (rows.getInt("DELETE_RULE") == DatabaseMetaData.importedKeyCascade
                                        ? "cascade"
                                        : "nothing"));
                    }
                }
            }
        }
        return keys;
    }

    /**
     * Returns the columns of each index, except of those that begin another one: H2 adds such
     * indexes for foreign keys by itself.
     */
    private static Set<String> indexes(DataSource source) throws SQLException {
        Set<String> found = new TreeSet<>();
        try (Connection connection = source.getConnection()) {
            for (String table : names(connection)) {
                Map<String, List<String>> columns = new TreeMap<>();
                Map<String, Boolean> unique = new TreeMap<>();
                try (ResultSet rows = meta(connection)
                        .getIndexInfo(null, schemaOf(connection), table, false, true)) {
                    while (rows.next()) {
                        String name = rows.getString("INDEX_NAME");
                        if (name != null) {
                            columns.computeIfAbsent(name, each -> new ArrayList<>())
                                    .add(lower(rows.getString("COLUMN_NAME")));
                            unique.put(name, !rows.getBoolean("NON_UNIQUE"));
                        }
                    }
                }
                columns.forEach((name, own) -> {
                    boolean begins = !unique.get(name)
                            && columns.entrySet().stream()
                                    .filter(other -> !other.getKey().equals(name))
                                    .anyMatch(other -> other.getValue().size() >= own.size()
                                            && other.getValue()
                                                    .subList(0, own.size())
                                                    .equals(own));
                    if (!begins) {
                        found.add(lower(table) + own + (unique.get(name) ? " unique" : ""));
                    }
                });
            }
        }
        return found;
    }

    private static List<String> names(Connection connection) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet tables = meta(connection).getTables(null, schemaOf(connection), "%", null)) {
            while (tables.next()) {
                String type = tables.getString("TABLE_TYPE");
                String name = tables.getString("TABLE_NAME");
                if (type.endsWith("TABLE") && !lower(name).equals("flyway_schema_history")) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    private static DatabaseMetaData meta(Connection connection) throws SQLException {
        return connection.getMetaData();
    }

    private static String schemaOf(Connection connection) throws SQLException {
        return connection.getSchema();
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
