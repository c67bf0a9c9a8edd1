package dev.komainu.central.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.telemetry.record.Order;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of an order that was given before the clock was set. */
@ParameterizedClass
@EnumSource
class OrderClockTest {

    private static final String AGENT = "agent@here";

    @Parameter
    private ControlEngine engine;

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-11-21T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private OrderTable table;
    private Orders orders;
    private long id;

    @BeforeEach
    void setUp() throws Exception {
        JdbcClient jdbc = JdbcClient.create(engine.fresh());
        table = new OrderTable(jdbc);
        long micros = now.toEpochMilli() * 1_000;
        Order order = new Order(
                "0".repeat(32),
                "here",
                "here:80",
                micros,
                micros + 300_000_000,
                "MaxRequestWorkers",
                "150",
                "400",
                Order.Then.RESTART,
                null);
        Change.Wish wish = new Change.Wish(
                "here:80", "More workers", "MaxRequestWorkers", "150", "400", null, null, null);
        id = table.insert(order, "signed", wish, List.of(), AGENT, "ann", null, null, "hash")
                .id();
        OrderSettings settings =
                new OrderSettings(Duration.ofMinutes(5), directory.resolve("order-key"), 0);
        orders = new Orders(
                settings,
                new OrderKeys(settings),
                table,
                new Fleet(FleetTable.FORGETFUL, clock),
                new Changes(jdbc, clock),
                OrderEpoch.NONE,
                clock);
    }

    private OrderRecord.State state() {
        return orders.find(id).orElseThrow().state();
    }

    @Test
    void sentOrder_isSentAgainAfterTenSeconds() {
        assertThat(orders.ordersFor(AGENT)).containsExactly("signed");
        now = now.plusSeconds(9);
        assertThat(orders.ordersFor(AGENT)).isEmpty();
        now = now.plusSeconds(1);
        assertThat(orders.ordersFor(AGENT)).containsExactly("signed");
    }

    @Test
    void clockSetBackByMinutes_isSentAgain() {
        now = now.plusSeconds(60);
        assertThat(orders.ordersFor(AGENT)).containsExactly("signed");
        now = now.minusSeconds(300);
        assertThat(orders.ordersFor(AGENT)).containsExactly("signed");
        assertThat(state()).isEqualTo(OrderRecord.State.OPEN);
    }

    /**
     * Otherwise the order would be open and block others until the clock reaches that time again.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 400 * 24})
    void clockSetBackByHours_isOver(long hours) {
        now = now.minus(Duration.ofHours(hours));
        assertThat(state()).isEqualTo(OrderRecord.State.EXPIRED);
        assertThat(orders.ordersFor(AGENT)).isEmpty();
    }

    @Test
    void clockSetForwardByAnHour_isOver() {
        now = now.plus(Duration.ofHours(1));
        assertThat(state()).isEqualTo(OrderRecord.State.EXPIRED);
        assertThat(orders.ordersFor(AGENT)).isEmpty();
    }
}
