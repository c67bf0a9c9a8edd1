package dev.komainu.central.api.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.indices.Told;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import dev.komainu.telemetry.wire.SignedOrder;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/**
 * Tests of an order from the request to the agent's outcome. The test is the agent, behind a real
 * reporter.
 */
class OrderTest extends CentralTest {

    private static final String ORDERS = "/api/v1/orders";

    @LocalServerPort
    private int here;

    @TempDir
    Path directory;

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final Set<String> known = new HashSet<>();

    @Test
    void order_isSignedForTheAgent_andItsOutcomeIsAChangeThatIsVerified() throws Exception {
        try (Reporter agent = agent("done")) {
            String key = browser(Role.VIEWER)
                    .get("/api/v1/order-key")
                    .expect(200)
                    .json()
                    .get("key")
                    .asString();
            tell(agent, "done", key, "150");
            prospect("done", null);

            CentralClient operator =
                    browser(Role.OPERATOR).withHeader("Idempotency-Key", "order-done");
            JsonNode given = operator.post(ORDERS, request("done", "150", "400"))
                    .expect(201)
                    .json();
            assertThat(given.get("state").asString()).isEqualTo("open");
            assertThat(operator.post(ORDERS, request("done", "150", "400"))
                            .expect(201)
                            .json())
                    .isEqualTo(given);
            assertThat(browser(Role.OPERATOR)
                            .post(ORDERS, request("done", "150", "500"))
                            .expect(409)
                            .problem())
                    .isEqualTo("order-open");

            Order order = next(key);
            assertThat(order.node()).isEqualTo("done");
            assertThat(order.service()).isEqualTo("done:80");
            assertThat(order.expected()).isEqualTo("150");
            assertThat(order.wanted()).isEqualTo("400");
            assertThat(order.then()).isEqualTo(Order.Then.RESTART);
            // Its own discovery reads the file before the outcome is sent.
            agent.accept(sighting("done", "400"));
            agent.accept(outcome(order, OrderOutcome.State.DONE, "done", "150", "400"));

            JsonNode done = ended(given);
            assertThat(done.get("state").asString()).isEqualTo("done");
            assertThat(done.get("canBeUndone").asBoolean()).isTrue();
            JsonNode changes = browser(Role.VIEWER)
                    .get("/api/v1/changes?service=done:80")
                    .json()
                    .get("items");
            assertThat(changes).as("recorded once: %s", changes).hasSize(1);
            assertThat(changes.get(0).get("id")).isEqualTo(done.get("changeId"));
            assertThat(changes.get(0).get("by").asString()).isEqualTo("test-operator");
            assertThat(browser(Role.VIEWER)
                            .get("/api/v1/verifications?change="
                                    + done.get("changeId").asString())
                            .json()
                            .at("/items/0/phase")
                            .asString())
                    .isIn("settling", "measuring");

            JsonNode undone = browser(Role.OPERATOR)
                    .post(
                            ORDERS + "/" + given.get("id").asString() + "/rollback",
                            Map.of("confirmed", true))
                    .expect(201)
                    .json();
            Order undo = next(key);
            assertThat(undo.restores()).isEqualTo(order.id());
            assertThat(undo.wanted()).isNull();
            agent.accept(outcome(undo, OrderOutcome.State.REFUSED, "drift", null, null));
            assertThat(ended(undone).get("reason").asString()).isEqualTo("drift");
            assertThat(machine(Scope.ADMIN).get("/api/v1/audit").expect(200).body())
                    .contains("order.give", "order.rollback");
        }
    }

    @Test
    void order_ofTwoValues_isOneSignedOrderAndOneChange() throws Exception {
        try (Reporter agent = agent("pair")) {
            String key = browser(Role.VIEWER)
                    .get("/api/v1/order-key")
                    .json()
                    .get("key")
                    .asString();
            tell(agent, "pair", key, "150");
            prospect("pair", null);
            Map<String, Object> request = new HashMap<>(request("pair", "150", "400"));
            request.put(
                    "companions",
                    List.of(Map.of("setting", "ServerLimit", "before", "255", "after", "400")));
            assertThat(browser(Role.OPERATOR).post(ORDERS, request).expect(409).problem())
                    .as("the value before of the other setting is another one")
                    .isEqualTo("drift");
            request.put(
                    "companions",
                    List.of(Map.of("setting", "ServerLimit", "before", "256", "after", "400")));
            JsonNode given =
                    browser(Role.OPERATOR).post(ORDERS, request).expect(201).json();
            assertThat(given.at("/companions/0/after").asString()).isEqualTo("400");

            Order order = next(key);
            assertThat(order.companions())
                    .containsExactly(new Order.Companion("ServerLimit", "256", "400"));
            agent.accept(sighting("pair", "400", "400"));
            agent.accept(outcome(order, OrderOutcome.State.DONE, "done", "150", "400"));
            ended(given);
            JsonNode changes = browser(Role.VIEWER)
                    .get("/api/v1/changes?service=pair:80")
                    .json()
                    .get("items");
            assertThat(changes).as("recorded once: %s", changes).hasSize(1);
            assertThat(changes.at("/0/note").asString())
                    .isEqualTo("Together with ServerLimit 256 → 400");
        }
    }

    @Test
    void order_thatCannotBeGiven_reportsTheReason() throws Exception {
        try (Reporter agent = agent("cannot")) {
            String key = browser(Role.VIEWER)
                    .get("/api/v1/order-key")
                    .json()
                    .get("key")
                    .asString();
            tell(agent, "cannot", null, "150");
            prospect("cannot", "not-allowed");
            assertThat(refused("cannot", "150", "400")).isEqualTo("not-allowed");
            tell(agent, "cannot", "x".repeat(43), "150");
            prospect("cannot", "other-key");
            tell(agent, "cannot", key, "150");
            prospect("cannot", null);
            assertThat(refused("cannot", "149", "400")).isEqualTo("drift");
            assertThat(refused("nobody", "150", "400")).isEqualTo("unknown-service");
            agent.accept(restricted("cannot", "none"));
            prospect("cannot", "restricted");
            assertThat(refused("cannot", "150", "400")).isEqualTo("restricted");
            agent.accept(restricted("cannot", "own"));
            prospect("cannot", null);
            assertThat(browser(Role.VIEWER)
                            .get(
                                    "/api/v1/services/cannot:80/order-prospect?setting=sysctl:net.core.somaxconn")
                            .json()
                            .path("obstacle")
                            .asString())
                    .isEqualTo("restricted");
        }
    }

    @Test
    void order_ofAnOlderEpoch_isNotGiven_andAnAgentsRefusalIsShownAndAudited() throws Exception {
        try (Reporter agent = agent("epochs")) {
            String key = browser(Role.VIEWER)
                    .get("/api/v1/order-key")
                    .json()
                    .get("key")
                    .asString();
            tell(agent, "epochs", key, 9L, "150");
            prospect("epochs", "older-epoch");
            assertThat(browser(Role.OPERATOR)
                            .post(ORDERS, request("epochs", "150", "400"))
                            .expect(409)
                            .body())
                    .contains(
                            "agent@epochs: has accepted an order of the epoch 9, this service's epoch is 0");

            // An order that was on its way when another service took over.
            tell(agent, "epochs", key, 0L, "150");
            prospect("epochs", null);
            JsonNode given = browser(Role.OPERATOR)
                    .post(ORDERS, request("epochs", "150", "400"))
                    .expect(201)
                    .json();
            String both = "without an epoch, the newest seen is 9";
            agent.accept(outcome(next(key), OrderOutcome.State.REFUSED, "older-epoch", both));
            JsonNode ended = ended(given);
            assertThat(ended.get("state").asString()).isEqualTo("refused");
            assertThat(ended.get("reason").asString()).isEqualTo("older-epoch");
            assertThat(ended.get("detail").asString()).isEqualTo(both);
            assertThat(machine(Scope.ADMIN).get("/api/v1/audit").expect(200).body())
                    .contains("order.refused", "agent@epochs", "epochs:80 MaxRequestWorkers", both);
        }
    }

    @Test
    void order_unconfirmedOrWithoutTheScope_isRefused() {
        assertThat(browser(Role.OPERATOR)
                        .post(
                                ORDERS,
                                Map.of(
                                        "service", "a:80", "setting", "X", "before", "1", "after",
                                        "1"))
                        .expect(400)
                        .body())
                .contains(
                        "confirmed: null (expected: true",
                        "after: 1 (expected: a value other than before");
        browser(Role.VIEWER).post(ORDERS, request("a", "1", "2")).expect(403);
        machine(Scope.TUNING_RUN).post(ORDERS, request("a", "1", "2")).expect(403);
        browser(Role.OPERATOR)
                .post(ORDERS + "/999999/rollback", Map.of("confirmed", true))
                .expect(404);
    }

    private String refused(String node, String before, String after) {
        return browser(Role.OPERATOR)
                .post(ORDERS, request(node, before, after))
                .expect(409)
                .problem();
    }

    private static Map<String, Object> request(String node, String before, String after) {
        return Map.of(
                "service",
                node + ":80",
                "setting",
                "MaxRequestWorkers",
                "before",
                before,
                "after",
                after,
                "confirmed",
                true);
    }

    private void prospect(String node, @Nullable String obstacle) {
        Awaitility.await("prospect of " + node).atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            JsonNode prospect = browser(Role.VIEWER)
                    .get("/api/v1/services/" + node
                            + ":80/order-prospect?setting=MaxRequestWorkers")
                    .expect(200)
                    .json();
            JsonNode why = prospect.get("obstacle");
            assertThat(why.isNull() ? null : why.asString()).isEqualTo(obstacle);
            assertThat(prospect.get("place").asString()).isEqualTo("/etc/apache2/apache2.conf:7");
        });
        // The verification of an order starts for services that were assessed.
        judged(node + ":80");
    }

    private JsonNode ended(JsonNode order) {
        String path = ORDERS + "/" + order.get("id").asString();
        Awaitility.await("the outcome")
                .atMost(Duration.ofSeconds(60))
                .until(() -> !browser(Role.VIEWER)
                        .get(path)
                        .json()
                        .get("state")
                        .asString()
                        .equals("open"));
        return browser(Role.VIEWER).get(path).expect(200).json();
    }

    /** Returns the next new order: until its outcome arrives, an order is sent again. */
    private Order next(String key) throws InterruptedException {
        String text;
        do {
            text = received.poll(60, TimeUnit.SECONDS);
            assertThat(text).as("an order").isNotNull();
        } while (!known.add(text));
        Order order = SignedOrder.verified(text, SignedOrder.key(key));
        assertThat(order).as("signed by the key that was handed over").isNotNull();
        return order;
    }

    private Reporter agent(String node) throws Exception {
        Path token = Files.writeString(directory.resolve(node + ".token"), token(Scope.INGEST));
        Reporter reporter = new Reporter(ReporterSettings.of(
                        URI.create("http://127.0.0.1:" + here),
                        token,
                        "agent@" + node,
                        directory.resolve(node))
                .withBatches(100, 64 << 10, Duration.ofMillis(50)));
        reporter.onOrders(received::addAll);
        // Responses are sent to batches only.
        Thread.ofVirtual().start(() -> {
            try {
                for (long i = 0; i < 2_000; i++) {
                    reporter.accept(Told.packets(
                            node + ":80",
                            System.currentTimeMillis() / 1_000 - 1,
                            Map.of("rps", 20.0, "ms", 10.0)));
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return reporter;
    }

    /** Reports the status of an agent that knows no epochs, and its server. */
    private static void tell(Reporter agent, String node, @Nullable String key, String workers) {
        tell(agent, node, key, null, workers);
    }

    private static void tell(
            Reporter agent,
            String node,
            @Nullable String key,
            @Nullable Long newestEpoch,
            String workers) {
        long now = System.currentTimeMillis() * 1_000;
        agent.accept(new SourceStatus(
                node,
                SourceStatus.Kind.AGENT,
                "0.1.0",
                now,
                now,
                new SourceStatus.Use(1, 0),
                List.of("lo"),
                List.of(),
                List.of(),
                key,
                newestEpoch));
        agent.accept(sighting(node, workers));
    }

    /** The sighting by an agent that changes only some servers. */
    private static ServiceSighting restricted(String node, String changes) {
        return sighting(node, "150")
                .with(new Setting("agent:changes", changes, "changes.ports of the agent"));
    }

    private static ServiceSighting sighting(String node, String workers) {
        return sighting(node, workers, "256");
    }

    private static ServiceSighting sighting(String node, String workers, String limit) {
        return new ServiceSighting(
                node + ":80",
                node,
                "apache :80",
                "apache",
                "2.4.62",
                List.of(Endpoint.parse("127.0.0.77:80")),
                new ServiceSighting.ServerProcess(77L, "/usr/sbin/apache2"),
                List.of(
                        new Setting("MaxRequestWorkers", workers, "/etc/apache2/apache2.conf:7"),
                        new Setting("ServerLimit", limit, "/etc/apache2/apache2.conf:6")),
                System.currentTimeMillis() * 1_000);
    }

    private static OrderOutcome outcome(
            Order order, OrderOutcome.State state, String reason, String detail) {
        OrderOutcome plain = outcome(order, state, reason, null, null);
        return new OrderOutcome(
                plain.order(),
                plain.node(),
                plain.service(),
                state,
                reason,
                detail,
                plain.change(),
                plain.begunMicros(),
                plain.atMicros());
    }

    private static OrderOutcome outcome(
            Order order,
            OrderOutcome.State state,
            String reason,
            @Nullable String before,
            @Nullable String after) {
        long now = System.currentTimeMillis() * 1_000;
        return new OrderOutcome(
                order.id(),
                order.node(),
                order.service(),
                state,
                reason,
                "",
                new OrderOutcome.Change("/etc/apache2/apache2.conf", before, after, false),
                now - 1_000_000,
                now);
    }
}
