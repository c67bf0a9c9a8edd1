package dev.komainu.central.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.control.ControlEngine;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.wire.SignedOrder;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests of the epoch with which orders are signed, and of agents that know a newer one. */
@ParameterizedClass
@EnumSource
class OrderEpochTest {

    private static final String AGENT = "agent@here";

    @Parameter
    private ControlEngine engine;

    @TempDir
    private Path directory;

    private final Clock clock = Clock.systemUTC();
    private final List<Orders.OlderEpoch> refused = new ArrayList<>();
    private JdbcClient jdbc;
    private OrderSettings settings;
    private OrderKeys keys;
    private Fleet fleet;

    @BeforeEach
    void setUp() {
        jdbc = JdbcClient.create(engine.fresh());
        settings = new OrderSettings(Duration.ofMinutes(5), directory.resolve("order-key"), 0);
        keys = new OrderKeys(settings);
        fleet = new Fleet(FleetTable.FORGETFUL, clock);
        fleet.sighted(
                AGENT,
                new ServiceSighting(
                        "here:80",
                        "here",
                        "apache :80",
                        "apache",
                        "2.4.62",
                        List.of(Endpoint.parse("192.0.2.1:80")),
                        new ServiceSighting.ServerProcess(7L, null),
                        List.of(new ServiceSighting.Setting(
                                "MaxRequestWorkers", "150", "/etc/apache2.conf:7")),
                        clock.millis() * 1_000));
    }

    @Test
    void give_toAnAgentThatKnowsEpochs_signsWithThisServices() {
        reportAgent(0L);
        Orders orders = service(7);
        give(orders);
        assertThat(sent(orders).epoch()).isEqualTo(7);
    }

    @Test
    void give_toAnAgentThatKnowsNone_signsWithoutAnEpoch() {
        reportAgent(null);
        Orders orders = service(7);
        give(orders);
        assertThat(sent(orders).epoch()).isZero();
    }

    @Test
    void give_toAnAgentThatAcceptedANewerEpoch_isImpossible_notThatOfAnEqualOne() {
        reportAgent(9L);
        for (long older : new long[] {0, 8}) {
            assertThat(service(older).give(wish(), List.of(), "ann", null))
                    .isInstanceOfSatisfying(
                            Orders.Outcome.Impossible.class,
                            impossible -> assertThat(impossible.prospect().obstacle())
                                    .isEqualTo("older-epoch"));
        }
        Orders equal = service(9);
        give(equal);
        assertThat(sent(equal).epoch()).isEqualTo(9);
    }

    @Test
    void start_withAnOpenOrderOfAnOlderEpoch_signsTheSameOrderAgain() {
        reportAgent(0L);
        Orders before = service(7);
        give(before);
        Order older = sent(before);

        Order newer = sent(service(8));

        assertThat(newer).isEqualTo(older.withEpoch(8));
    }

    @Test
    void start_withAnOpenOrderForAnAgentThatKnowsNone_leavesItAsItIs() {
        reportAgent(null);
        give(service(7));
        assertThat(sent(service(8)).epoch()).isZero();
    }

    @Test
    void outcome_ofAnOlderEpoch_isShownAndTold_alsoOfAnOrderOfAnotherService() {
        reportAgent(0L);
        Orders orders = service(7);
        orders.onOlderEpoch(refused::add);
        OrderRecord given = give(orders);
        String both = "of an older epoch: 7, the newest seen is 9";

        orders.stored(outcome(given.code(), "older-epoch", both));
        orders.stored(outcome(given.code(), "older-epoch", both));
        orders.stored(outcome("f".repeat(32), "older-epoch", both));
        orders.stored(outcome("e".repeat(32), "drift", ""));

        OrderRecord ended = orders.find(given.id()).orElseThrow();
        assertThat(ended.state()).isEqualTo(OrderRecord.State.REFUSED);
        assertThat(ended.reason()).isEqualTo("older-epoch");
        assertThat(ended.detail()).isEqualTo(both);
        assertThat(refused)
                .containsExactly(
                        new Orders.OlderEpoch(AGENT, "here:80 MaxRequestWorkers", both),
                        new Orders.OlderEpoch(AGENT, "order " + "f".repeat(32), both));
    }

    private Orders service(long epoch) {
        return new Orders(
                settings,
                keys,
                new OrderTable(jdbc),
                fleet,
                new Changes(jdbc, clock),
                new OrderEpoch(epoch),
                clock);
    }

    private static Change.Wish wish() {
        return new Change.Wish(
                "here:80", "More workers", "MaxRequestWorkers", "150", "400", null, null, null);
    }

    private static OrderRecord give(Orders orders) {
        Orders.Outcome outcome = orders.give(wish(), List.of(), "ann", null);
        assertThat(outcome).isInstanceOf(Orders.Outcome.Given.class);
        return ((Orders.Outcome.Given) outcome).order();
    }

    private Order sent(Orders orders) {
        List<String> sent = orders.ordersFor(AGENT);
        assertThat(sent).hasSize(1);
        Order order = SignedOrder.verified(sent.getFirst(), SignedOrder.key(keys.publicText()));
        assertThat(order).isNotNull();
        return order;
    }

    private void reportAgent(@Nullable Long newestEpoch) {
        fleet.reported(
                AGENT,
                new SourceStatus(
                        "here",
                        SourceStatus.Kind.AGENT,
                        "0.1.0",
                        1,
                        1,
                        new SourceStatus.Use(1, 0.1),
                        List.of(),
                        List.of(),
                        List.of(),
                        keys.publicText(),
                        newestEpoch));
    }

    private static Batch outcome(String order, String reason, String detail) {
        return new Batch(
                new BatchId(AGENT, 1, 1),
                List.of(new OrderOutcome(
                        order,
                        "here",
                        "here:80",
                        OrderOutcome.State.REFUSED,
                        reason,
                        detail,
                        new OrderOutcome.Change(null, null, null, true),
                        1,
                        2)));
    }
}
