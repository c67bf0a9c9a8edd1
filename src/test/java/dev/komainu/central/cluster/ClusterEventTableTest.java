package dev.komainu.central.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.telemetry.record.ClusterView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Events of clusters are kept for a number of days, by a clock that may be wrong. */
@ParameterizedClass
@EnumSource
class ClusterEventTableTest {

    private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

    private final JdbcClient jdbc;

    ClusterEventTableTest(ControlEngine engine) {
        jdbc = JdbcClient.create(engine.fresh());
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
