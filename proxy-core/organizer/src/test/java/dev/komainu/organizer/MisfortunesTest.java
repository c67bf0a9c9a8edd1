package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.settings.kit.WrittenSettings;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Two mirrors, each behind an organizer in its own process, and a third organizer in this process
 * that sends the requests. Each test causes one misfortune; all members have recovered before the
 * next. The tests check the responses for the clients and the final equality of the tables, not the
 * time: the benches measure it.
 */
class MisfortunesTest {

    private static final String SECRET = "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa";

    @TempDir
    static Path directory;

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static int seed;
    private static Organizer front;
    private static HttpClient asker;
    private static Mirror one;
    private static Mirror two;

    private static String settings(String member, int listen, String more) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), SECRET);
        return String.format(Locale.ROOT, """
                member: %s
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                detect: 2s
                drain-timeout: 1s
                lines: {silence: 3s, patience: 5s}
                secret-file: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                %s
                """, member, listen, freePort(), secret, seed, more);
    }

    /** A server that responds with its name, and the organizer beside it. */
    private static final class Mirror {
        final String name;
        final AtomicInteger millis = new AtomicInteger();
        private final int control = freePort();
        private int port = freePort();
        private @Nullable HttpServer server;
        private @Nullable Process organizer;

        Mirror(String name) {
            this.name = name;
        }

        void serve() throws IOException {
            HttpServer made = HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
            made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            made.createContext("/", exchange -> {
                try (exchange) {
                    TimeUnit.MILLISECONDS.sleep(millis.get());
                    byte[] body = (name + ":" + port).getBytes(StandardCharsets.US_ASCII);
                    exchange.sendResponseHeaders(200, body.length);
                    exchange.getResponseBody().write(body);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            made.start();
            server = made;
        }

        void stopServing() {
            HttpServer had = server;
            server = null;
            if (had != null) {
                had.stop(0);
            }
        }

        void moves() {
            port = freePort();
        }

        String told() {
            return name + ":" + port;
        }

        String serves() {
            return "serve: [{prefix: www.example.com/, server: \"127.0.0.1:" + port + "\"}]";
        }

        void organize() throws IOException {
            Path file = Files.writeString(
                    directory.resolve(name + ".yaml"),
                    settings(
                            name,
                            freePort(),
                            "control: {listen: \"127.0.0.1:" + control + "\"}\n" + serves()));
            File log = directory.resolve(name + ".log").toFile();
            organizer = new ProcessBuilder(
                            System.getProperty("java.home") + "/bin/java",
                            "--enable-native-access=ALL-UNNAMED",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx96m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            OrganizerServer.class.getName(),
                            "--config",
                            file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                    .start();
        }

        void signal(String name) throws Exception {
            Process process = organizer;
            if (process != null) {
                RunningProxy.signal(process, name);
            }
        }

        void end() {
            Process process = organizer;
            organizer = null;
            if (process != null) {
                process.destroyForcibly().onExit().join();
            }
        }

        /** Returns the digest of its own table; empty when it does not respond. */
        String digest() {
            try {
                HttpResponse<String> answer = CLIENT.send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + control + "/control/v1/members"))
                                .timeout(Duration.ofSeconds(10))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                Map<String, ?> page = new Yaml().load(answer.body());
                return String.valueOf(page.get("digest"));
            } catch (IOException e) {
                return "";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "";
            }
        }
    }

    @BeforeAll
    static void setUpAll() throws Exception {
        seed = freePort();
        String yaml = settings(
                "front",
                seed,
                "control: {listen: none}\nfront: {listen: \"127.0.0.1:" + freePort() + "\"}");
        front = Organizer.start(OrganizerSettings.read(WrittenSettings.reader(yaml)));
        asker = HttpClient.newBuilder()
                .proxy(ProxySelector.of(front.front().address()))
                .build();
        one = new Mirror("web1");
        two = new Mirror("web2");
        for (Mirror mirror : List.of(one, two)) {
            mirror.serve();
            mirror.organize();
        }
    }

    @AfterAll
    static void tearDownAll() {
        for (Mirror mirror : List.of(one, two)) {
            mirror.end();
            mirror.stopServing();
        }
        front.close();
    }

    @BeforeEach
    void setUp() {
        agreed("front", "web1", "web2");
        bothAnswer();
    }

    private static List<String> members() {
        return table().announcements().stream()
                .map(announcement -> announcement.member().text())
                .toList();
    }

    private static ClusterRouteTable table() {
        return front.membership().table();
    }

    private static void until(java.util.concurrent.Callable<Boolean> condition) {
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    /** Waits until these members are in the table, and all have the same table. */
    private static void agreed(String... names) {
        List<String> expected = List.of(names);
        until(() -> members().equals(expected)
                && (!expected.contains("web1") || one.digest().equals(table().digest()))
                && (!expected.contains("web2") || two.digest().equals(table().digest())));
    }

    private static HttpResponse<String> get() throws Exception {
        return asker.send(
                HttpRequest.newBuilder(URI.create("http://www.example.com/"))
                        .timeout(Duration.ofMinutes(1))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Sends requests until one is answered, as a retrying client would. */
    private static String answer() {
        List<String> got = new ArrayList<>();
        until(() -> {
            HttpResponse<String> answer = get();
            got.add(answer.statusCode() == 200 ? answer.body() : "");
            return answer.statusCode() == 200;
        });
        return got.getLast();
    }

    private static void bothAnswer() {
        List<String> missing = new ArrayList<>(List.of(one.told(), two.told()));
        until(() -> {
            missing.remove(answer());
            return missing.isEmpty();
        });
    }

    @Test
    void serverIsKilled_everyRequestIsAnsweredByTheOther_andIsSharedAgainWhenItIsBack()
            throws Exception {
        one.stopServing();
        for (int i = 0; i < 100; i++) {
            HttpResponse<String> answer = get();
            assertThat(answer.statusCode()).as(answer.headers().toString()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(two.told());
        }
        one.serve();
        bothAnswer();
    }

    @Test
    void organizerIsKilled_theOtherAnswers_itIsOutOfTheTable_andInAnotherLifeBackInIt()
            throws Exception {
        one.end();
        for (int i = 0; i < 50; i++) {
            assertThat(answer()).isEqualTo(two.told());
        }
        agreed("front", "web2");
        one.organize();
        agreed("front", "web1", "web2");
        bothAnswer();
    }

    @Test
    void hostFallsSilent_theOtherAnswers_itIsLost_andBackWhenItSpeaksAgain() throws Exception {
        one.signal("STOP");
        try {
            for (int i = 0; i < 50; i++) {
                assertThat(answer()).isEqualTo(two.told());
            }
            agreed("front", "web2");
        } finally {
            one.signal("CONT");
        }
        agreed("front", "web1", "web2");
        bothAnswer();
    }

    /** The return to the full share takes tens of seconds: see route.ComingBackTest. */
    @Test
    void serverIsSlow_itIsKnownSoon_andMostGoToTheOthers() throws Exception {
        Mirror slow = new Mirror("web3");
        slow.millis.set(100);
        slow.serve();
        try (Organizer beside = Organizer.start(OrganizerSettings.read(WrittenSettings.reader(
                settings("web3", freePort(), "control: {listen: none}\n" + slow.serves()))))) {
            agreed("front", "web1", "web2", "web3");
            until(() -> answer().equals(slow.told()));
            until(() -> shareOf(slow, 40) <= 5);
            assertThat(beside.membership().table().digest()).isEqualTo(table().digest());
        } finally {
            slow.stopServing();
        }
        agreed("front", "web1", "web2");
    }

    private static int shareOf(Mirror mirror, int of) {
        int answered = 0;
        for (int i = 0; i < of; i++) {
            answered += answer().equals(mirror.told()) ? 1 : 0;
        }
        return answered;
    }

    @Test
    void serverAndOrganizerMove_requestsFollow() throws Exception {
        long before = incarnation("web1");
        one.signal("TERM");
        one.end();
        one.stopServing();
        one.moves();
        one.serve();
        one.organize();
        for (int i = 0; i < 50; i++) {
            assertThat(answer()).isIn(one.told(), two.told());
        }
        agreed("front", "web1", "web2");
        assertThat(incarnation("web1")).isGreaterThan(before);
        bothAnswer();
    }

    private static long incarnation(String member) {
        return table().announcements().stream()
                .filter(announcement -> announcement.member().text().equals(member))
                .mapToLong(Announcement::incarnation)
                .findFirst()
                .orElse(0);
    }
}
