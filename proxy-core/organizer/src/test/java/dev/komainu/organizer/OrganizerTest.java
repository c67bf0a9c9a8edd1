package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.settings.kit.WrittenSettings;
import dev.komainu.telemetry.kit.Promtool;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two organizers as programs, each with its own server, checked through their control endpoints.
 */
class OrganizerTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();

    private OrganizerSettings settings(String member, int port, int seed, String serve)
            throws Exception {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + " config\n");
        String yaml = String.format(
                Locale.ROOT,
                """
                member: %s
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                front: {listen: "127.0.0.1:%d"}
                detect: 10s
                secret-file: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                control: {listen: "127.0.0.1:%d", token-file: %s}
                serve: [%s]
                """,
                member,
                port,
                freePort(),
                freePort(),
                secret,
                seed,
                freePort(),
                tokens,
                serve);
        return OrganizerSettings.read(WrittenSettings.reader(yaml));
    }

    private HttpResponse<String> ask(Organizer organizer, String method, String path, String token)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + organizer.controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Authorization", "Bearer " + token)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String get(Organizer organizer, String path) {
        try {
            return ask(organizer, "GET", path, TOKEN).body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(60)).until(condition::getAsBoolean);
    }

    @Test
    void serverStopsDrainsAndIsWeighed_theOtherMemberKnows() throws Exception {
        int seed = freePort();
        int gone;
        try (ServerSocket web1 = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String serve = "{prefix: www.example.com/, server: \"127.0.0.1:%d\"}";
            try (ServerSocket web2 = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                    Organizer one = Organizer.start(settings(
                            "web1",
                            seed,
                            seed,
                            String.format(Locale.ROOT, serve, web1.getLocalPort())));
                    Organizer two = Organizer.start(settings(
                            "web2",
                            freePort(),
                            seed,
                            String.format(Locale.ROOT, serve, web2.getLocalPort())))) {
                gone = web2.getLocalPort();
                until(() -> get(one, "/control/v1/members").contains("\"member\":\"web2\"")
                        && one.membership()
                                .table()
                                .digest()
                                .equals(two.membership().table().digest()));
                assertThat(get(one, "/control/v1/table"))
                        .contains("\"prefix\":\"www.example.com/\"")
                        .contains(one.membership().table().digest());
                assertThat(get(one, "/control/v1/choice?url=www.example.com/x"))
                        .contains("\"why\":\"balanced\"");
                assertThat(get(one, "/control/v1/choice?url=other/x"))
                        .contains("\"why\":\"no-route\"");

                assertThat(ask(
                                        two,
                                        "POST",
                                        "/control/v1/weight?prefix=www.example.com/&weight=9",
                                        TOKEN)
                                .statusCode())
                        .isEqualTo(200);
                assertThat(ask(two, "POST", "/control/v1/drain?on=true", TOKEN).statusCode())
                        .isEqualTo(200);
                until(() -> get(one, "/control/v1/table").contains("\"weight\":9")
                        && get(one, "/control/v1/table").contains("\"draining\":true"));
                assertThat(get(one, "/control/v1/choice?url=www.example.com/x"))
                        .contains("\"member\":\"web1\"");
                ask(two, "POST", "/control/v1/drain?on=false", TOKEN);

                web2.close();
                until(() -> get(one, "/control/v1/events").contains("web2's server is stopped"));
                assertThat(get(one, "/control/v1/choice?url=www.example.com/x"))
                        .contains("\"member\":\"web1\"", "\"server\":\"stopped\"");
                try (ServerSocket back =
                        new ServerSocket(gone, 5, InetAddress.getLoopbackAddress())) {
                    until(() -> get(one, "/control/v1/events").contains("web2's server is up"));
                    assertThat(back.isBound()).isTrue();
                }
                assertThat(get(one, "/metrics"))
                        .contains("komainu_organizer_members 2")
                        .contains("komainu_organizer_events_total{kind=\"joined\"} 2");

                assertThat(ask(one, "POST", "/control/v1/drain?on=true", "a-token-nobody-knows")
                                .statusCode())
                        .isEqualTo(401);
                assertThat(ask(one, "GET", "/control/v1/drain?on=true", TOKEN).statusCode())
                        .isEqualTo(405);
                assertThat(ask(one, "POST", "/control/v1/drain?on=perhaps", TOKEN)
                                .body())
                        .contains("on: perhaps (expected: true or false)");
                assertThat(ask(one, "POST", "/control/v1/weight?prefix=h/&weight=1", TOKEN)
                                .statusCode())
                        .isEqualTo(404);
            }
        }
    }

    @Test
    void clientOfOneMember_isAnsweredByTheOthersServer_overALineWithTheClustersSecret()
            throws Exception {
        int seed = freePort();
        try (ScriptedOrigin web = new ScriptedOrigin();
                Organizer one = Organizer.start(settings("web1", seed, seed, ""));
                Organizer two = Organizer.start(settings(
                        "web2",
                        freePort(),
                        seed,
                        String.format(
                                Locale.ROOT,
                                "{prefix: www.example.com/, server: \"127.0.0.1:%d\"}",
                                web.port())))) {
            web.ok("/shop", "", "open");
            until(() -> get(one, "/control/v1/choice?url=www.example.com/shop")
                    .contains("\"member\":\"web2\""));
            try (RawClient client = new RawClient(one.front().address())) {
                client.send(
                        "GET http://www.example.com/shop HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
                assertThat(client.read(false).body()).isEqualTo("open");
                client.send("GET /shop HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n");
                assertThat(client.read(false).status()).isEqualTo(404);
            }
            assertThat(web.requests.getFirst().field("via"))
                    .isEqualTo("1.1 web1.komainu.organizer");
            assertThat(get(one, "/control/v1/front"))
                    .contains("\"forwarded\":1", "\"no-route\":1", "\"to\":\"web2 at 127.0.0.1:");
            // More than once on a busy machine, when the line seems lost and the request is
            // repeated.
            assertThat(get(two, "/metrics"))
                    .containsPattern(
                            "komainu_organizer_requests_total\\{kind=\"peer-requests\"} [1-9]");
            assertThat(two.server(UrlPrefix.parse("www.example.com/")).figures().served())
                    .isPositive();
        }
    }

    @Test
    void memberDrains_whatIsUnderWayIsAnswered_andItsEndIsWaitedFor() throws Exception {
        int seed = freePort();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        try (ScriptedOrigin web = new ScriptedOrigin();
                Organizer one = Organizer.start(settings("web1", seed, seed, ""));
                Organizer two = Organizer.start(settings(
                        "web2",
                        freePort(),
                        seed,
                        String.format(
                                Locale.ROOT,
                                "{prefix: www.example.com/, server: \"127.0.0.1:%d\"}",
                                web.port())))) {
            web.on("/slow", (request, socket, out) -> {
                asked.countDown();
                goes.await();
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"
                        .getBytes(StandardCharsets.US_ASCII));
                return true;
            });
            until(() -> get(one, "/control/v1/choice?url=www.example.com/slow")
                    .contains("\"member\":\"web2\""));
            // One client is served by the other member, one by this one.
            try (RawClient far = new RawClient(one.front().address());
                    RawClient near = new RawClient(two.front().address());
                    RawClient idle = new RawClient(two.front().address())) {
                web.ok("/quick", "", "quick");
                idle.send("GET /quick HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
                assertThat(idle.read(false).body()).isEqualTo("quick");
                far.send("GET /slow HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
                near.send("GET /slow HTTP/1.1\r\nHost: www.example.com\r\n\r\n");
                assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
                until(() -> web.count("/slow") == 2);
                CompletableFuture<Integer> left = CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return two.drain(Duration.ofMinutes(1));
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        Thread::startVirtualThread);
                until(() -> get(one, "/control/v1/table").contains("\"draining\":true"));
                assertThat(idle.closedByPeer()).isTrue();
                assertThat(left).as("two requests are in progress").isNotDone();
                goes.countDown();
                assertThat(far.read(false).body()).isEqualTo("done");
                RawClient.Answer last = near.read(false);
                assertThat(last.body()).isEqualTo("done");
                assertThat(last.field("connection"))
                        .as("known before its response began")
                        .isEqualTo("close");
                assertThat(left.get(60, TimeUnit.SECONDS)).isZero();
            }
        }
    }

    @Test
    void clientOfAnEntry_isAtTheOthersServer_andIsCounted() throws Exception {
        int seed = freePort();
        int entry = freePort();
        String entries =
                "]\nservices: [{protocol: tcp, listen: \"127.0.0.1:%d\", service: \"db.example:5432\"}";
        try (ServerSocket database = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Organizer one = Organizer.start(
                        settings("web1", seed, seed, String.format(Locale.ROOT, entries, entry)));
                Organizer two = Organizer.start(settings(
                        "web2",
                        freePort(),
                        seed,
                        String.format(
                                Locale.ROOT,
                                "{prefix: \"db.example:5432/\", server: \"127.0.0.1:%d\"}",
                                database.getLocalPort())))) {
            until(() -> get(one, "/control/v1/choice?url=db.example:5432/")
                    .contains("\"member\":\"web2\""));
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), entry)) {
                client.getOutputStream().write('x');
                // Its organizer checks the server, too.
                Socket taken = database.accept();
                while (taken.getInputStream().read() < 0) {
                    taken = database.accept();
                }
                taken.getOutputStream().write("rows".getBytes(StandardCharsets.US_ASCII));
                taken.close();
                assertThat(client.getInputStream().readNBytes(4)).asString().isEqualTo("rows");
            }
            until(() -> get(one, "/control/v1/services").contains("\"open\":0"));
            assertThat(get(one, "/control/v1/services"))
                    .contains("\"service\":\"db.example:5432\"", "\"opened\":1", "\"no-route\":0");
            assertThat(get(one, "/metrics"))
                    .contains("komainu_organizer_service_total{kind=\"opened\",listen=\"127.0.0.1:"
                            + entry
                            + "\",protocol=\"tcp\",service=\"db.example:5432\"} 1.0");
            assertThat(Promtool.complaints(get(one, "/metrics"))).isEmpty();
        }
    }

    @Test
    void servesTwoPrefixesByTwoServers_oneStops_itsPrefixIsWithdrawn() {
        OwnServers servers = new OwnServers(List.of(serve("h/", 1), serve("i/", 2)));
        for (var server : servers.all()) {
            if (server.address().endsWith(":1")) {
                server.started();
                server.ended(LocalServer.Ending.REFUSED, 0);
            }
        }
        assertThat(servers.announced())
                .extracting(route -> route.prefix().toString())
                .containsExactly("i/");
        assertThat(servers.load().state()).isEqualTo(ServerState.UP);
        for (var server : servers.all()) {
            server.started();
            server.ended(LocalServer.Ending.REFUSED, 0);
        }
        assertThat(servers.announced()).hasSize(2);
        assertThat(servers.load().state()).isEqualTo(ServerState.STOPPED);
    }

    private static OrganizerSettings.Serve serve(String prefix, int port) {
        return new OrganizerSettings.Serve(
                new ServedRoute(UrlPrefix.parse(prefix), 1, 1, false, ""), "127.0.0.1", port);
    }

    @Test
    void check_secretCanBeGuessed_isReported() throws Exception {
        OrganizerSettings settings = settings("web1", freePort(), freePort(), "");
        Organizer.check(settings);
        Files.writeString(directory.resolve("secret"), "too short");
        assertThatThrownBy(() -> Organizer.check(settings))
                .hasMessageContaining("expected: at least 32");
    }
}
