package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of the statement that changes or inserts a row, on each database. */
@ParameterizedClass
@EnumSource
class UpsertTest {

    private static final OffsetDateTime AT =
            Instant.parse("2026-11-28T10:00:00.123456Z").atOffset(ZoneOffset.UTC);

    private final JdbcClient jdbc;

    UpsertTest(ControlEngine engine) {
        jdbc = JdbcClient.create(engine.fresh());
    }

    private Upsert label(String value) {
        return Upsert.into("service_label")
                .key("service", "web:80")
                .key("label_key", "team")
                .set("label_value", value)
                .initially("set_by", value)
                .set("set_at", AT);
    }

    private String stored() {
        return jdbc.sql("select label_value, set_by, set_at from service_label")
                .query((row, n) -> row.getString(1) + " " + row.getString(2) + " "
                        + row.getObject(3, OffsetDateTime.class).toInstant())
                .single();
    }

    @Test
    void run_newAndKnownKey_insertsAndChanges() {
        assertThat(label("a").run(jdbc)).isEqualTo(1);
        assertThat(label("b").run(jdbc)).isEqualTo(1);

        assertThat(stored()).isEqualTo("b a 2026-11-28T10:00:00.123456Z");
    }

    @Test
    void run_keysOnly_keepsTheRow() {
        jdbc.sql(
                        "insert into incident (id, root, began, settled, members) values ('i', 'r', ?, false, '[]')")
                .param(AT)
                .update();
        for (int time = 0; time < 2; time++) {
            Upsert.into("incident_service")
                    .key("incident", "i")
                    .key("service", "web:80")
                    .run(jdbc);
        }
        assertThat(jdbc.sql("select count(*) from incident_service")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void run_nullsOfEveryType_areStored(boolean present) {
        jdbc.sql(
                        "insert into changes (at, by_name, service, title) values (?, 'ann', 'web:80', 't')")
                .param(AT)
                .update();
        long change = jdbc.sql("select max(id) from changes").query(Long.class).single();
        for (int time = 0; time < 2; time++) {
            Upsert.into("capacity_upgrades")
                    .key("change_id", change)
                    .set("cost", present ? new BigDecimal("12.50") : null)
                    .set("currency", present ? "JPY" : null)
                    .set("marked_by", "ann")
                    .set("knee_rate", present ? 1.5 : null)
                    .set("knee_beyond", present ? true : null)
                    .run(jdbc);
        }
        assertThat(jdbc.sql("select * from capacity_upgrades")
                        .query((row, n) ->
                                row.getBigDecimal("cost") + " " + row.getString("currency")
                                        + " " + row.getObject("knee_rate") + " "
                                        + row.getObject("knee_beyond"))
                        .single())
                .isEqualTo(present ? "12.50 JPY 1.5 true" : "null null null null");
    }

    /** Writers of one new key at the same time: one row, none of them fails. */
    @Test
    void run_manyWritersOfOneKey_allSucceed() throws Exception {
        int writers = 4;
        for (int round = 0; round < 20; round++) {
            String key = "k" + round;
            CyclicBarrier together = new CyclicBarrier(writers);
            try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
                List<Future<Integer>> all = new ArrayList<>();
                for (int writer = 0; writer < writers; writer++) {
                    String value = "v" + writer;
                    all.add(threads.submit(() -> {
                        together.await(10, TimeUnit.SECONDS);
                        return Upsert.into("service_label")
                                .key("service", "web:80")
                                .key("label_key", key)
                                .set("label_value", value)
                                .set("set_by", value)
                                .set("set_at", AT)
                                .run(jdbc);
                    }));
                }
                for (Future<Integer> one : all) {
                    assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo(1);
                }
            }
            assertThat(jdbc.sql(
                                    "select label_value = set_by from service_label where label_key = ?")
                            .param(key)
                            .query(Boolean.class)
                            .single())
                    .isTrue();
        }
    }
}
