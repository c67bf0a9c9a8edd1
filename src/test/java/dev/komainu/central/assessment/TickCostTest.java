package dev.komainu.central.assessment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.RuleBook;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** One second of fifty busy services must cost a small part of a second. */
class TickCostTest {

    private static final int SERVICES = 50;
    private static final long START = 1_763_683_200L;

    private final Hand clock = new Hand();

    @Test
    void tick_fiftyServices_takesLessThanATenthOfASecondOfCpu() {
        IndexCatalogue catalogue = new IndexCatalogue();
        LiveIndices live = new LiveIndices(catalogue);
        Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);
        JdbcClient jdbc = database();
        Assessor assessor = new Assessor(
                fleet,
                live,
                catalogue,
                new StateModel(RuleBook.load(catalogue)),
                new StateHistory(jdbc),
                new BaselineTable(jdbc),
                clock);
        Intake intake = new Intake(fleet, live, clock);
        long spent = 0;
        int measured = 0;
        for (int second = 0; second < 90; second++) {
            clock.second = START + second + 1;
            intake.stored(new Batch(new BatchId("agent@n", 1, second + 1), records(START + second)));
            long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            assessor.tick();
            if (second >= 60) {
                spent += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
                measured++;
            }
        }

        double millis = spent / 1e6 / measured;
        System.out.printf("tick with %d services: %.1f ms of CPU%n", SERVICES, millis);
        assertThat(assessor.latest().services()).hasSize(SERVICES);
        assertThat(millis).isLessThan(100);
    }

    private static List<TelemetryRecord> records(long second) {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i < SERVICES; i++) {
            double millis = i % 5 == 0 && second % 60 > 30 ? 300 : 5;
            records.add(Told.packets("10.0.0." + i + ":80", second, Map.of("rps", 200.0, "ms", millis)));
        }
        return records;
    }

    private static JdbcClient database() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:tick;DB_CLOSE_DELAY=-1");
        new ResourceDatabasePopulator(new ClassPathResource("db/migration/V11__state.sql")).execute(source);
        return JdbcClient.create(source);
    }

    private static final class Hand extends Clock {
        private long second = START;

        @Override
        public Instant instant() {
            return Instant.ofEpochSecond(second);
        }

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
