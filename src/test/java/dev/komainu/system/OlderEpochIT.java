package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentreProcess;
import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * An agent after a take-over: the service that judged before stands still, and its order comes to
 * the agent after one of the service that judges now.
 */
@Tag(Nightly.TAG)
class OlderEpochIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String NODE = "epochs";
    private static final String BOTH = "of an older epoch: 1, the newest seen is 2";

    @TempDir
    Path directory;

    private PublicKey key;
    private OrderRelay relay;
    private Process agent;

    @Test
    void orderOfTheFormerJudge_afterOneOfThePresent_isRefusedShownAndAudited() throws Exception {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        Capability.need("captures", Capability.NET_RAW);
        try (PostgresqlServer server = PostgresqlServer.debian();
                RealNginx first = RealNginx.start();
                RealNginx second = RealNginx.start()) {
            String database = server.createDatabase(null);
            try (CentreProcess one = centre("one", server, database)) {
                one.awaitJudge(1);
                CentralClient admin = one.administrator();
                key = SignedOrder.key(admin.get("/api/v1/order-key")
                        .expect(200)
                        .json()
                        .get("key")
                        .asString());
                Files.createDirectories(directory.resolve("two"));
                Files.copy(
                        one.directory().resolve("order-key"),
                        directory.resolve("two/order-key"),
                        StandardCopyOption.COPY_ATTRIBUTES);
                try (CentreProcess two = centre("two", server, database);
                        OrderRelay path = new OrderRelay(one.port())) {
                    relay = path;
                    two.awaitAnswers();
                    startAgent(one);
                    Path firstFile = file(admin, first);
                    Path secondFile = file(admin, second);
                    String done = order(admin, first);
                    String refused = order(admin, second);
                    String older = taken(second, 1);

                    one.freeze();
                    two.awaitJudge(2);
                    relay.leadTo(two.port());
                    CentralClient now = two.login();
                    String newer = taken(first, 2);
                    relay.give(newer);
                    assertThat(ended(now, done).get("state").asString()).isEqualTo("done");
                    assertThat(Files.readString(firstFile)).contains("worker_connections 2048;");

                    relay.give(older);
                    JsonNode ended = ended(now, refused);
                    assertThat(ended.get("state").asString()).isEqualTo("refused");
                    assertThat(ended.get("reason").asString()).isEqualTo("older-epoch");
                    assertThat(ended.get("detail").asString()).isEqualTo(BOTH);
                    assertThat(Files.readString(secondFile)).contains("worker_connections 1024;");
                    assertThat(now.get("/api/v1/audit").expect(200).body())
                            .contains(
                                    "order.refused",
                                    "agent@" + NODE,
                                    NODE + ":" + second.port() + " worker_connections",
                                    BOTH);

                    killAgent();
                    startAgent(one);
                    String stranger = "5".repeat(32);
                    relay.give(SignedOrder.sign(
                            ofOlderEpoch(stranger, second), privateKey(one.directory())));
                    Awaitility.await("the agent refuses it after its restart, too")
                            .atMost(PATIENCE)
                            .until(() -> two.says("agent@" + NODE + " refused an order " + BOTH
                                    + ": order " + stranger));
                    assertThat(Files.readString(secondFile)).contains("worker_connections 1024;");

                    one.thaw();
                    assertThat(one.process().waitFor()).isEqualTo(4);
                } finally {
                    killAgent();
                }
            }
        }
    }

    private CentreProcess centre(String name, PostgresqlServer server, String database)
            throws IOException {
        return CentreProcess.start(
                directory, name, server, database, true, "--komainu.orders.life=30m");
    }

    private void startAgent(CentreProcess enrolling) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                NODE,
                "--interface",
                "lo",
                "--central",
                relay.url(),
                "--token-file",
                enrolling.ingestToken().toString(),
                "--allow-changes",
                SignedOrder.keyText(key),
                "--data",
                directory.resolve("agent").toString());
        builder.environment().put("KOMAINU_BUILT", "yes");
        agent = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("agent.log").toFile()))
                .start();
    }

    private void killAgent() throws InterruptedException {
        if (agent != null) {
            agent.descendants().forEach(ProcessHandle::destroyForcibly);
            agent.destroyForcibly().waitFor();
        }
    }

    /** Waits until an order for a server can be given, and returns the server's file. */
    private static Path file(CentralClient client, RealNginx nginx) {
        JsonNode prospect = Awaitility.await("orders for " + nginx.port())
                .atMost(PATIENCE)
                .until(
                        () -> client.get("/api/v1/services/" + NODE + ":" + nginx.port()
                                        + "/order-prospect?setting=worker_connections")
                                .expect(200)
                                .json(),
                        json -> json.get("obstacle").isNull());
        return Path.of(prospect.get("place").asString().replaceAll(":\\d+$", ""));
    }

    /** Gives an order, and returns its address. */
    private static String order(CentralClient client, RealNginx nginx) {
        return "/api/v1/orders/"
                + client.post(
                                "/api/v1/orders",
                                Map.of(
                                        "service",
                                        NODE + ":" + nginx.port(),
                                        "setting",
                                        "worker_connections",
                                        "before",
                                        "1024",
                                        "after",
                                        "2048",
                                        "confirmed",
                                        true))
                        .expect(201)
                        .json()
                        .get("id")
                        .asString();
    }

    /** Waits until a service sent an order of an epoch for a server. */
    private String taken(RealNginx nginx, long epoch) {
        return Awaitility.await("order of epoch " + epoch + " for " + nginx.port())
                .atMost(PATIENCE)
                .until(
                        () -> relay.taken().stream()
                                .filter(text -> {
                                    Order order = SignedOrder.verified(text, key);
                                    return Objects.requireNonNull(order).epoch() == epoch
                                            && order.service().equals(NODE + ":" + nginx.port());
                                })
                                .findFirst()
                                .orElse(null),
                        Objects::nonNull);
    }

    private static JsonNode ended(CentralClient client, String order) {
        return Awaitility.await("outcome of " + order)
                .atMost(PATIENCE)
                .until(
                        () -> client.get(order).expect(200).json(),
                        json -> !json.get("state").asString().equals("open"));
    }

    private static Order ofOlderEpoch(String id, RealNginx nginx) {
        long now = EpochMicros.now();
        return new Order(
                        id,
                        NODE,
                        NODE + ":" + nginx.port(),
                        now,
                        now + 300_000_000,
                        "worker_connections",
                        "1024",
                        "4096",
                        Order.Then.RELOAD,
                        null)
                .withEpoch(1);
    }

    private static PrivateKey privateKey(Path central) throws Exception {
        return KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder()
                        .decode(Files.readAllLines(central.resolve("order-key"))
                                .getFirst()
                                .strip())));
    }
}
