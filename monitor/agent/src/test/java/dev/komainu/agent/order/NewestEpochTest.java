package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The epoch of orders at an agent without servers: what passes its check is refused for its service
 * only.
 */
class NewestEpochTest {

    private static final String PASSED = "unknown-service";

    @TempDir
    Path directory;

    private final BlockingQueue<OrderOutcome> outcomes = new LinkedBlockingQueue<>();
    private KeyPair keys;
    private OrderExecutor orders;
    private int number;

    @BeforeEach
    void setUp() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        start();
    }

    @AfterEach
    void tearDown() {
        orders.close();
    }

    @Test
    void order_ofAnOlderEpoch_isRefusedWithBoth_equalAndNewerOnesPass() throws Exception {
        assertThat(orders.newestEpoch()).isZero();
        assertThat(reason(7)).isEqualTo(PASSED);
        assertThat(reason(9)).isEqualTo(PASSED);
        assertThat(reason(9)).isEqualTo(PASSED);

        OrderOutcome older = submit(order(7));
        assertThat(older.state()).isEqualTo(OrderOutcome.State.REFUSED);
        assertThat(older.reason()).isEqualTo("older-epoch");
        assertThat(older.detail()).isEqualTo("of an older epoch: 7, the newest seen is 9");
        OrderOutcome without = submit(order(0));
        assertThat(without.reason()).isEqualTo("older-epoch");
        assertThat(without.detail()).isEqualTo("without an epoch, the newest seen is 9");
        assertThat(orders.newestEpoch()).isEqualTo(9);
    }

    @Test
    void order_withoutAnEpoch_passesWhileNoneIsKnown() throws Exception {
        assertThat(reason(0)).isEqualTo(PASSED);
        assertThat(directory.resolve("orders/epoch")).doesNotExist();
    }

    @Test
    void newestEpoch_isKnownAfterARestart_andOnlyItsOwnerReadsTheFile() throws Exception {
        reason(9);
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("orders/epoch"))))
                .isEqualTo("rw-------");

        restart();

        assertThat(orders.newestEpoch()).isEqualTo(9);
        assertThat(reason(8)).isEqualTo("older-epoch");
        assertThat(reason(9)).isEqualTo(PASSED);
    }

    /** The agent is killed after the epoch was stored and before anything was changed. */
    @Test
    void agentKilledBeforeTheChange_orderPassesAgain_olderOneIsRefused() throws Exception {
        Order newer = order(9);
        orders.close();
        new NewestEpoch(directory.resolve("orders"), SignedOrder.keyText(keys.getPublic()))
                .accept(newer);
        start();

        assertThat(reason(8)).isEqualTo("older-epoch");
        assertThat(submit(newer).reason()).isEqualTo(PASSED);
    }

    @Test
    void newestEpoch_thatCannotBeStored_refusesTheOrder_andIsNotTaken() throws Exception {
        reason(7);
        // A leftover that no file replaces.
        Files.createDirectories(directory.resolve("orders/epoch.new/full"));

        assertThat(reason(9)).isEqualTo("write");
        assertThat(orders.newestEpoch()).isEqualTo(7);
        assertThat(reason(7)).isEqualTo(PASSED);
    }

    @Test
    void order_forAnotherNode_orExpired_orBelowZero_changesNoEpoch() throws Exception {
        Order good = order(9);
        assertThat(submit(at(good, "elsewhere", good.issuedMicros())).reason())
                .isEqualTo("other-node");
        assertThat(submit(at(order(9), good.node(), good.issuedMicros() - 7_200_000_000L))
                        .reason())
                .isEqualTo("expired");
        assertThat(reason(-1)).isEqualTo("malformed");
        assertThat(orders.newestEpoch()).isZero();
    }

    @Test
    void anotherKey_beginsWithAnyEpoch() throws Exception {
        reason(9);
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        restart();

        assertThat(orders.newestEpoch()).isZero();
        assertThat(reason(0)).isEqualTo(PASSED);
        assertThat(reason(2)).isEqualTo(PASSED);
        assertThat(reason(1)).isEqualTo("older-epoch");
    }

    /** The steps of docs/operations.md. */
    @Test
    void fileRemoved_anyEpochPasses() throws Exception {
        reason(9);
        orders.close();
        Files.delete(directory.resolve("orders/epoch"));
        start();

        assertThat(reason(0)).isEqualTo(PASSED);
    }

    @Test
    void fileWithAMistake_acceptsNoOrders() throws Exception {
        Path file = directory.resolve("orders/epoch");
        for (String wrong : List.of("", "9", "key nine", "key 0", "key -3", "key 9 9")) {
            Files.writeString(file, wrong);
            assertThatThrownBy(() -> executor().close())
                    .as(wrong)
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            file
                                    + ": has a mistake (expected: a key and a number, as written by this agent)");
        }
    }

    private void restart() throws IOException {
        orders.close();
        start();
    }

    private void start() throws IOException {
        orders = executor();
    }

    private OrderExecutor executor() throws IOException {
        return new OrderExecutor(
                keys.getPublic(),
                "here",
                directory.resolve("orders"),
                directory.resolve("sysctl.conf"),
                (port, setting) -> true,
                record -> outcomes.add((OrderOutcome) record),
                List::of);
    }

    private Order order(long epoch) {
        long now = EpochMicros.now();
        return new Order(
                        String.format(Locale.ROOT, "%032x", ++number),
                        "here",
                        "here:80",
                        now,
                        now + 300_000_000,
                        "workers",
                        "1",
                        "2",
                        Order.Then.RELOAD,
                        null)
                .withEpoch(epoch);
    }

    private static Order at(Order order, String node, long issuedMicros) {
        return new Order(
                order.id(),
                node,
                order.service(),
                issuedMicros,
                issuedMicros + 300_000_000,
                order.setting(),
                order.expected(),
                order.wanted(),
                order.then(),
                null,
                List.of(),
                order.epoch());
    }

    private String reason(long epoch) throws InterruptedException {
        return submit(order(epoch)).reason();
    }

    private OrderOutcome submit(Order order) throws InterruptedException {
        orders.submit(List.of(SignedOrder.sign(order, keys.getPrivate())));
        OrderOutcome outcome = outcomes.poll(60, TimeUnit.SECONDS);
        assertThat(outcome).as("an outcome").isNotNull();
        return outcome;
    }
}
