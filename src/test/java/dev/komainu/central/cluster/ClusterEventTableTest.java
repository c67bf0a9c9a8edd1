package dev.komainu.central.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ClusterView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** Events of clusters are kept for a number of days, by a clock that may be wrong. */
class ClusterEventTableTest {

    private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

    private final JdbcClient jdbc = database();

    private static JdbcClient database() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:events-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new ResourceDatabasePopulator(
                        // The later migration also alters the rules of alerts.
                        new ClassPathResource("db/migration/V23__alerts.sql"),
                        new ClassPathResource("db/migration/V31__clusters.sql"))
                .execute(source);
        return JdbcClient.create(source);
    }

    /** Stores an event after a start of the service. */
    private ClusterEventTable tableWith(Instant now, String text) {
        ClusterEventTable table = new ClusterEventTable(
                jdbc, new ClusterSettings(90), Clock.fixed(now, ZoneOffset.UTC));
        long micros = now.toEpochMilli() * 1_000;
        table.keep(new ClusterView(
                "shop",
                "web1",
                "web1",
                micros,
                micros,
                new ClusterView.Peers(1, List.of(), List.of()),
                new ClusterView.Routing("", List.of(), List.of()),
                List.of(),
                List.of(),
                List.of(new ClusterView.Event(1, micros, "joined", "web1", text))));
        return table;
    }

    @Test
    void keep_clockAYearAheadAtAStart_forgetsNothing() {
        tableWith(START, "one");
        ClusterEventTable table = tableWith(START.plus(Duration.ofDays(400)), "two");
        assertThat(table.list("shop", Long.MAX_VALUE, 10))
                .extracting(ClusterEvent::text)
                .containsExactly("two", "one");
    }

    @Test
    void keep_olderThanTheSettingAllows_isForgottenAsEver() {
        tableWith(START, "one");
        tableWith(START.plus(Duration.ofDays(91)), "two");
        ClusterEventTable table = tableWith(START.plus(Duration.ofDays(92)), "three");
        assertThat(table.list("shop", Long.MAX_VALUE, 10))
                .extracting(ClusterEvent::text)
                .containsExactly("three", "two");
    }
}
