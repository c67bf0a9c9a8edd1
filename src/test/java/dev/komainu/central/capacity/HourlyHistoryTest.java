package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.ModelStore;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests that each hour is stored once, gaps stay gaps, and a restart continues after the last
 * stored hour.
 */
@ParameterizedClass
@EnumSource
class HourlyHistoryTest {

    private static final String SERVICE = "192.0.2.9:80";
    /** 2026-11-21 00:00 UTC. */
    private static final long FIRST = 1_795_219_200L / 3_600;

    @Parameter
    private ControlEngine engine;

    private final ModelStore store = new ModelStore();
    private final Fleet fleet = new Fleet(
            FleetTable.FORGETFUL,
            Clock.fixed(Instant.ofEpochSecond((FIRST + 30) * 3_600), ZoneOffset.UTC));
    private JdbcClient jdbc;
    private long sequence;

    @BeforeEach
    void setUp() {
        jdbc = JdbcClient.create(engine.fresh());
        fleet.recordWindow("probe", SERVICE, FIRST * 3_600_000_000L);
    }

    /** Two minutes of traffic in an hour, the second twice as busy. */
    private void hour(long hour, double rate) {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int second = 0; second < 120; second++) {
            double rps = second < 60 ? rate : 2 * rate;
            records.add(Told.packets(SERVICE, hour * 3_600 + second, Map.of("rps", rps)));
        }
        store.append(new Batch(new BatchId("probe", 1, ++sequence), records));
    }

    private HourlyHistory history() {
        return new HourlyHistory(jdbc, store, fleet);
    }

    private ServiceProfile service() {
        return fleet.service(SERVICE);
    }

    private static long at(long hour, int minutes) {
        return hour * 3_600 + minutes * 60L;
    }

    @Test
    void catchUp_hoursThatAreOver_areWrittenWithMeanAndBusiestMinute() {
        hour(FIRST, 10);
        hour(FIRST + 1, 20);
        HourlyHistory history = history();

        assertThat(history.catchUp(service(), at(FIRST + 1, 30))).isFalse();
        assertThat(history.hours(SERVICE, 0)).containsExactly(new HourlyLoad(FIRST, 15, 20, 2));

        // Four minutes after the hour, windows can still arrive.
        history.catchUp(service(), at(FIRST + 2, 4));
        assertThat(history.hours(SERVICE, 0)).hasSize(1);
        history.catchUp(service(), at(FIRST + 2, 6));
        assertThat(history.hours(SERVICE, 0))
                .containsExactly(
                        new HourlyLoad(FIRST, 15, 20, 2), new HourlyLoad(FIRST + 1, 30, 40, 2));
    }

    @Test
    void catchUp_daysWithGaps_takesUpADayAtATimeAndLeavesGapsOut() {
        hour(FIRST, 10);
        hour(FIRST + 26, 30);
        HourlyHistory history = history();

        assertThat(history.catchUp(service(), at(FIRST + 30, 0))).isTrue();
        assertThat(history.hours(SERVICE, 0)).hasSize(1);
        assertThat(history.catchUp(service(), at(FIRST + 30, 0))).isFalse();
        assertThat(history.hours(SERVICE, 0))
                .extracting(HourlyLoad::epochHour)
                .containsExactly(FIRST, FIRST + 26);
        assertThat(history.hours(SERVICE, FIRST + 1)).hasSize(1);
    }

    @Test
    void catchUp_afterARestart_continuesAfterTheLastHour() {
        hour(FIRST, 10);
        history().catchUp(service(), at(FIRST + 1, 30));
        // The telemetry of the first hour is deleted by then: a second run must neither need it nor
        // store it again.
        hour(FIRST, 500);
        hour(FIRST + 1, 20);

        history().catchUp(service(), at(FIRST + 3, 0));

        assertThat(history().hours(SERVICE, 0))
                .containsExactly(
                        new HourlyLoad(FIRST, 15, 20, 2), new HourlyLoad(FIRST + 1, 30, 40, 2));
    }

    /** Data that arrived while the clock was ahead keeps its hours. */
    @Test
    void catchUp_clockAheadAndCorrected_continuesWithThePresentHours() {
        hour(FIRST, 10);
        hour(FIRST + 400 * 24, 40);
        HourlyHistory history = history();
        while (history.catchUp(service(), at(FIRST + 400 * 24 + 2, 0))) {
            // one day for each call
        }
        hour(FIRST + 1, 20);
        hour(FIRST + 2, 30);

        history.catchUp(service(), at(FIRST + 2, 6));
        assertThat(history.hours(SERVICE, 0)).extracting(HourlyLoad::epochHour).contains(FIRST + 1);
        history().catchUp(service(), at(FIRST + 3, 6));

        assertThat(history.hours(SERVICE, 0))
                .extracting(HourlyLoad::epochHour)
                .containsExactly(FIRST, FIRST + 1, FIRST + 2, FIRST + 400 * 24);
    }

    @Test
    void deleteOld_hoursOlderThanTheStoreKeepsHours_areDeleted() {
        hour(FIRST, 10);
        HourlyHistory history = history();
        history.catchUp(service(), at(FIRST + 2, 0));

        history.deleteOld(at(FIRST + 1_095 * 24, 0));
        assertThat(history.hours(SERVICE, 0)).hasSize(1);
        history.deleteOld(at(FIRST + 1_095 * 24 + 1, 0));

        assertThat(history.hours(SERVICE, 0)).isEmpty();
    }
}
