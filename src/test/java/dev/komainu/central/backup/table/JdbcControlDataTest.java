package dev.komainu.central.backup.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class JdbcControlDataTest {

    private static final List<String> TABLES = List.of(
            "create table \"flyway_schema_history\" (\"installed_rank\" int, \"version\" varchar(50), \"success\" boolean)",
            "insert into \"flyway_schema_history\" values (1, '1', true), (2, '3', true), (3, '2', true), (4, null, true)",
            """
            create table upper_row (
                name varchar(10) primary key,
                code char(4),
                small smallint,
                amount decimal(18, 2),
                rate double precision,
                open boolean,
                at timestamp(6) with time zone,
                bytes varbinary(100)
            )""",
            "create index upper_row_by_rate on upper_row (rate, name)",
            // Its name comes first, its rows must come second.
            """
            create table lower_row (
                upper_name varchar(10) not null references upper_row (name),
                id bigint generated always as identity primary key,
                note clob
            )""");

    /** An export in memory. */
    private static class Memory implements ControlData.Sink {

        private final Map<String, ByteArrayOutputStream> rows = new LinkedHashMap<>();
        private final Map<String, TableSum> sums = new LinkedHashMap<>();

        @Override
        public OutputStream open(String table) throws IOException {
            ByteArrayOutputStream fresh = new ByteArrayOutputStream();
            rows.put(table, fresh);
            return fresh;
        }

        @Override
        public void written(String table, TableSum sum) {
            sums.put(table, sum);
        }

        String text(String table) {
            return rows.get(table).toString(StandardCharsets.UTF_8);
        }

        Map<String, TableSum> loadInto(JdbcDataSource database) throws Exception {
            return new JdbcControlData(database)
                    .load(
                            rows.keySet(),
                            table -> new ByteArrayInputStream(rows.get(table).toByteArray()));
        }
    }

    private final JdbcDataSource source = database();
    private final JdbcClient jdbc = JdbcClient.create(source);

    private static JdbcDataSource database() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:tables-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        for (String sql : TABLES) {
            JdbcClient.create(database).sql(sql).update();
        }
        return database;
    }

    private void fill() {
        jdbc.sql("insert into upper_row values ('a', 'abcd', 7, 12.50, 1e-300, true,"
                        + " timestamp with time zone '2026-11-28 12:00:00.123456+09:00', x'00ff')")
                .update();
        jdbc.sql(
                        "insert into upper_row values ('ö \"\n', null, null, null, null, null, null, null)")
                .update();
        jdbc.sql("insert into lower_row (upper_name, note) values ('a', ?), ('a', null)")
                .param("long ".repeat(10_000) + "\u2028")
                .update();
    }

    private Memory exported() throws Exception {
        Memory memory = new Memory();
        assertThat(new JdbcControlData(source).export(memory)).containsExactly("1", "3", "2");
        return memory;
    }

    @Test
    void export_allTypes_hasOneFormForEachAndNotTheHistory() throws Exception {
        fill();

        Memory memory = exported();

        assertThat(memory.rows.keySet()).containsExactly("upper_row", "lower_row");
        assertThat(memory.text("upper_row")).isEqualTo("""
                        {"table":"upper_row","columns":[["amount","decimal"],["at","instant"],["bytes","bytes"],["code","text"],["name","text"],["open","boolean"],["rate","double"],["small","integer"]]}
                        ["12.50","2026-11-28T03:00:00.123456Z","AP8=","abcd","a",true,1.0E-300,7]
                        [null,null,null,null,"ö \\"\\n",null,null,null]
                        """);
        assertThat(memory.sums.get("upper_row").rows()).isEqualTo(2);
        assertThat(memory.sums.get("lower_row").sum()).hasSize(64);
    }

    @Test
    void load_intoTablesWithRows_replacesThemAndCountsOn() throws Exception {
        fill();
        Memory memory = exported();
        JdbcDataSource other = database();
        JdbcClient there = JdbcClient.create(other);
        there.sql("insert into upper_row (name) values ('gone')").update();
        there.sql("insert into lower_row (upper_name) values ('gone')").update();

        assertThat(memory.loadInto(other)).isEqualTo(memory.sums);

        Memory again = new Memory();
        new JdbcControlData(other).export(again);
        assertThat(again.sums).isEqualTo(memory.sums);
        there.sql("insert into lower_row (upper_name) values ('a')").update();
        assertThat(there.sql("select max(id) from lower_row").query(Long.class).single())
                .isEqualTo(3);
    }

    @Test
    void sum_sameRowsInAnotherOrder_isTheSame() throws Exception {
        fill();
        Memory memory = exported();
        JdbcDataSource other = database();
        String[] lines = memory.text("upper_row").split("\n");
        ByteArrayOutputStream turned = new ByteArrayOutputStream();
        turned.write((lines[0] + "\n" + lines[2] + "\n" + lines[1] + "\n")
                .getBytes(StandardCharsets.UTF_8));
        memory.rows.put("upper_row", turned);

        assertThat(memory.loadInto(other)).isEqualTo(memory.sums);
    }

    @Test
    void load_wrongLine_isNamedWithoutItsContentAndChangesNothing() throws Exception {
        fill();
        Memory memory = exported();
        JdbcDataSource other = database();
        JdbcClient there = JdbcClient.create(other);
        there.sql("insert into upper_row (name) values ('stays')").update();
        ByteArrayOutputStream wrong = new ByteArrayOutputStream();
        wrong.write(memory.text("upper_row")
                .replace("\"2026-11-28T03:00:00.123456Z\"", "\"secret\"")
                .getBytes(StandardCharsets.UTF_8));
        memory.rows.put("upper_row", wrong);

        assertThatThrownBy(() -> memory.loadInto(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("table upper_row, line 2: column at: ")
                .hasMessageContaining("expected: instant")
                .hasMessageNotContaining("secret");
        assertThat(there.sql("select name from upper_row").query(String.class).list())
                .containsExactly("stays");
    }

    @Test
    void load_otherTablesThanTheDatabases_isRefused() throws Exception {
        Memory memory = exported();
        memory.rows.put("more", new ByteArrayOutputStream());
        memory.rows.remove("lower_row");

        assertThatThrownBy(() -> memory.loadInto(database()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tables without a place: [more]")
                .hasMessageContaining("tables without rows: [lower_row]");
    }

    /** Rows that are added after the first table was read are in no table of the export. */
    @Test
    void export_whileRowsAreAdded_isOfOneInstant() throws Exception {
        fill();
        Memory memory = new Memory() {
            @Override
            public void written(String table, TableSum sum) {
                if (table.equals("upper_row")) {
                    jdbc.sql("insert into upper_row (name) values ('late')").update();
                    jdbc.sql("insert into lower_row (upper_name) values ('late')")
                            .update();
                }
                super.written(table, sum);
            }
        };

        new JdbcControlData(source).export(memory);

        assertThat(memory.sums.get("lower_row").rows()).isEqualTo(2);
        assertThat(memory.loadInto(database())).isEqualTo(memory.sums);
        assertThat(jdbc.sql("select count(*) from lower_row").query(Long.class).single())
                .isEqualTo(3);
    }
}
