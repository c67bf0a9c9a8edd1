package dev.komainu.central.assessment;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.indices.BaselineTable;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.indices.Told;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.StateModel;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The cost of one second of busy services: allocated bytes and database statements. Time is
 * printed, but not limited by a test.
 */
class TickCostTest {

    private static final int SERVICES = 50;
    private static final long START = 1_763_683_200L;

    /** Limit for a service and second: three times the value of 28 Nov 2026. */
    private static final double MOST_BYTES = 36_000;

    @Test
    void tick_fiveTimesTheServices_takesFiveTimesTheWork() {
        // Compiled code allocates less: the small fleet is measured once more after the large one.
        cost(SERVICES / 5);
        Cost few = cost(SERVICES / 5);
        Cost many = cost(SERVICES);

        System.out.printf(
                "tick with %d services: %.1f ms of CPU, %.0f KB allocated; with %d: %.0f KB%n",
                SERVICES, many.millis, many.bytes / 1e3, SERVICES / 5, few.bytes / 1e3);
        assertThat(many.bytes).as("were it square, 25 times").isLessThan(7.5 * few.bytes);
        assertThat(many.bytes / SERVICES).as("bytes a service").isLessThan(MOST_BYTES);
    }

    @Test
    void tick_nothingChanged_sendsNoStatement() {
        Cost cost = cost(SERVICES);

        // Once a minute each baseline is saved.
        assertThat(cost.statements).isLessThanOrEqualTo(cost.transitions + SERVICES);
    }

    /**
     * The cost of a tick.
     *
     * @param bytes allocated bytes of a tick
     * @param millis CPU milliseconds of a tick
     * @param statements statements of all measured ticks
     * @param transitions transitions of all measured ticks
     */
    private record Cost(double bytes, double millis, long statements, long transitions) {}

    /**
     * Measures thirty seconds, after a minute in which every fifth service was slow for a while.
     */
    private static Cost cost(int services) {
        Hand clock = new Hand();
        IndexCatalogue catalogue = new IndexCatalogue();
        LiveIndices live = new LiveIndices(catalogue);
        Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);
        AtomicLong statements = new AtomicLong();
        JdbcClient jdbc = database(statements);
        Assessor assessor = new Assessor(
                fleet,
                live,
                catalogue,
                new StateModel(RuleSet.load(catalogue)),
                new StateHistory(jdbc),
                new BaselineTable(jdbc),
                clock);
        LiveFeed intake = new LiveFeed(fleet, live, clock);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        long nanos = 0;
        long transitions = 0;
        for (int second = 0; second < 90; second++) {
            clock.second = START + second + 1;
            intake.stored(new Batch(
                    new BatchId("agent@n", 1, second + 1), records(services, START + second)));
            if (second == 60) {
                statements.set(0);
            }
            long bytesBefore = thread.getCurrentThreadAllocatedBytes();
            long nanosBefore = thread.getCurrentThreadCpuTime();
            assessor.tick();
            if (second >= 60) {
                nanos += thread.getCurrentThreadCpuTime() - nanosBefore;
                bytes += thread.getCurrentThreadAllocatedBytes() - bytesBefore;
                transitions += assessor.latest().transitions().size();
            }
        }
        assertThat(assessor.latest().services()).hasSize(services);
        return new Cost(bytes / 30.0, nanos / 30.0 / 1e6, statements.get(), transitions);
    }

    private static List<TelemetryRecord> records(int services, long second) {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i < services; i++) {
            double millis = i % 5 == 0 && second % 60 > 30 ? 300 : 5;
            records.add(Told.packets(
                    "10.0.0." + i + ":80", second, Map.of("rps", 200.0, "ms", millis)));
        }
        return records;
    }

    /**
     * Returns a database that counts its statements.
     *
     * @param statements counter; each statement uses a connection of its own
     */
    private static JdbcClient database(AtomicLong statements) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:tick" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
        new ResourceDatabasePopulator(
                        new ClassPathResource("db/h2/V11__state.sql"),
                        new ClassPathResource("db/h2/V33__usual_failures.sql"),
                        new ClassPathResource("db/h2/V46__usual_round_trip.sql"))
                .execute(source);
        return JdbcClient.create(new DelegatingDataSource(source) {
            @Override
            public Connection getConnection() throws SQLException {
                statements.incrementAndGet();
                return super.getConnection();
            }
        });
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
