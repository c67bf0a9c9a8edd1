package dev.komainu.central.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The start with what is on disk: damaged rows, more rows than may exist, owners of names. */
@ParameterizedClass
@EnumSource
class StoredFleetTest {

    private static final FleetSettings SMALL = new FleetSettings(3, 2, 3, 2, Duration.ofDays(7));

    @Parameter
    private ControlEngine engine;

    private JdbcClient jdbc;
    private StoredFleet table;

    @BeforeEach
    void migrate() {
        jdbc = JdbcClient.create(engine.fresh());
        table = new StoredFleet(jdbc);
    }

    private void save(String id, long lastSeen, String credential) {
        table.save(
                new ServiceProfile(
                        id,
                        null,
                        id,
                        "nginx",
                        null,
                        List.of(),
                        null,
                        null,
                        List.of(),
                        Set.of("agent@web"),
                        1,
                        lastSeen),
                credential);
    }

    private Fleet start() {
        return new Fleet(table, Clock.systemUTC(), new FleetQuotas(SMALL));
    }

    @Test
    void damagedRows_areLeftOut_theOthersAreRead() {
        long now = System.currentTimeMillis() * 1_000;
        save("good:80", now, "token:a");
        save("bad:80", now, "token:a");
        jdbc.sql("update watched_service set settings = '[{' where id = 'bad:80'")
                .update();
        table.save("agent@bad", new Fleet.SourceReport(status(), now, "token:a"));
        jdbc.sql("update telemetry_source set status = 'x'").update();

        Fleet fleet = start();

        assertThat(fleet.services()).extracting(ServiceProfile::id).containsExactly("good:80");
        assertThat(fleet.sources()).isEmpty();
        assertThat(jdbc.sql("select id from watched_service")
                        .query(String.class)
                        .list())
                .as("the row is kept")
                .contains("bad:80");
    }

    @Test
    void rowsOf3000InventedServices_areNotAllRead_theNewestAre() {
        long now = System.currentTimeMillis() * 1_000;
        for (int i = 0; i < 3_000; i++) {
            save("invented" + i + ":80", now - 1_000 - i, "token:stolen");
        }
        save("honest:80", now, "token:honest");

        assertThat(start().services())
                .hasSize(3)
                .extracting(ServiceProfile::id)
                .contains("honest:80");
    }

    @Test
    void shareOfAToken_isKnownAfterARestart() {
        long now = System.currentTimeMillis() * 1_000;
        save("a:80", now, "token:stolen");
        save("b:80", now, "token:stolen");
        FleetQuotas quotas = new FleetQuotas(SMALL);
        Fleet unused = new Fleet(table, Clock.systemUTC(), quotas);

        assertThat(quotas.services().use("c:80", "token:stolen", now)).isFalse();
        assertThat(quotas.services().use("c:80", "token:honest", now)).isTrue();
        assertThat(unused.services()).hasSize(2);
    }

    @Test
    void statusAsWrittenByE2344e0_isReadWithItsUse() {
        long now = System.currentTimeMillis() * 1_000;
        table.save("agent@old", new Fleet.SourceReport(status(), now, null));
        jdbc.sql("update telemetry_source set status = ?").param("""
                        {"node":"old","kind":"AGENT","version":"0.1.0","startedMicros":1,"atMicros":2,
                        "residentBytes":77,"cpuCores":0.5,"watching":["lo"],"drops":[],"troubles":[],
                        "orderKey":null}""").update();

        assertThat(table.sources(1).get("agent@old").status().use())
                .isEqualTo(new SourceStatus.Use(77, 0.5));
    }

    private static SourceStatus status() {
        return new SomeRecords(1).status(1);
    }
}
