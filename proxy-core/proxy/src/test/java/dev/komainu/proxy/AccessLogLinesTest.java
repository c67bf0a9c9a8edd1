package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The access log lines of exchanges, compared with the lines that Squid 5.7 writes for the same
 * exchanges.
 */
class AccessLogLinesTest {

    @TempDir
    Path directory;

    private ProxyFixture proxy(String... settings) throws IOException {
        String[] all = java.util.Arrays.copyOf(settings, settings.length + 2);
        all[settings.length] = "log.access";
        all[settings.length + 1] = directory.resolve("access.log").toString();
        return new ProxyFixture(all);
    }

    /** All lines, without their times. */
    private List<String> lines(int expected) {
        Path file = directory.resolve("access.log");
        Awaitility.await().until(() -> Files.readAllLines(file).size() >= expected);
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> {
                        assertThat(line).matches("\\d+\\.\\d{3} +\\d+ .*");
                        return line.replaceFirst("^\\d+\\.\\d{3} +\\d+ ", "");
                    })
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static int size(RawClient.Answer answer) {
        return answer.head().length() + answer.body().length();
    }

    @Test
    void reverse_hitsMissesAndRefreshes() throws Exception {
        String type = "Content-Type: text/html; charset=utf-8\r\n";
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok(
                                "/a?x=1",
                                type + "ETag: \"v\"\r\nCache-Control: max-age=60\r\n",
                                "hello")
                        .ok("/gone", "Cache-Control: max-age=0\r\nETag: \"g\"\r\n", "old")
                        .ok("/no", type + "Cache-Control: no-store\r\n", "n");
                ProxyFixture proxy = proxy("origin", origin.url());
                RawClient client = proxy.client()) {
            int miss = size(client.get("/a?x=1"));
            int hit = size(client.get("/a?x=1"));
            int tag = size(client.get("/a?x=1", "If-None-Match: \"v\""));
            int since =
                    size(client.get("/a?x=1", "If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT"));
            int head = size(client.request("HEAD", "/a?x=1"));
            int range = size(client.get("/a?x=1", "Range: bytes=1-2"));
            int pass = size(client.get("/no"));
            int only = size(client.get("/b", "Cache-Control: only-if-cached"));
            client.get("/gone");
            origin.respond(
                    "/gone",
                    "HTTP/1.1 304 Not Modified\r\nETag: \"g\"\r\nCache-Control: max-age=0\r\n\r\n");
            int confirmed = size(client.get("/gone"));
            origin.ok("/gone", "Cache-Control: max-age=0\r\n", "new");
            int replaced = size(client.get("/gone"));
            String at = " HIER_DIRECT/127.0.0.1 ";
            String uri = "http://test.example/a? - HIER_NONE/- text/html";
            assertThat(lines(11))
                    .containsExactly(
                            "127.0.0.1 TCP_MISS/200 " + miss + " GET http://test.example/a? -" + at
                                    + "text/html",
                            "127.0.0.1 TCP_MEM_HIT/200 " + hit + " GET " + uri,
                            "127.0.0.1 TCP_INM_HIT/304 " + tag + " GET " + uri,
                            "127.0.0.1 TCP_IMS_HIT/304 " + since + " GET " + uri,
                            "127.0.0.1 TCP_MEM_HIT/200 " + head + " HEAD " + uri,
                            "127.0.0.1 TCP_MEM_HIT/206 " + range + " GET " + uri,
                            "127.0.0.1 TCP_MISS/200 " + pass + " GET http://test.example/no -" + at
                                    + "text/html",
                            "127.0.0.1 TCP_MISS/504 " + only
                                    + " GET http://test.example/b - HIER_NONE/- text/plain",
                            lines(11).get(8),
                            "127.0.0.1 TCP_REFRESH_UNMODIFIED/200 " + confirmed
                                    + " GET http://test.example/gone -" + at + "-",
                            "127.0.0.1 TCP_REFRESH_MODIFIED/200 " + replaced
                                    + " GET http://test.example/gone -" + at + "-");
        }
    }

    @Test
    void reverse_faultsAndClientsThatLeave() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch left = new CountDownLatch(1);
        try (ScriptedOrigin origin = new ScriptedOrigin().on("/slow", (request, socket, out) -> {
                    asked.countDown();
                    left.await();
                    return false;
                });
                ProxyFixture proxy = proxy("origin", origin.url())) {
            try (RawClient client = proxy.client()) {
                client.send("nonsense\r\n\r\n");
                client.rest();
            }
            assertThat(lines(1).get(0))
                    .matches("127\\.0\\.0\\.1 NONE_NONE/400 \\d+ - error:invalid-request - .*");
            try (RawClient client = proxy.client()) {
                client.send("GET /slow HTTP/1.1\r\nHost: h\r\nCache-Control: no-store\r\n\r\n");
                asked.await();
                // A reset: after a FIN alone the client may still read.
                client.socket().setSoLinger(true, 0);
            }
            assertThat(lines(2).get(1))
                    .isEqualTo(
                            "127.0.0.1 TCP_MISS_ABORTED/000 0 GET http://h/slow - HIER_DIRECT/127.0.0.1 -");
            left.countDown();
            origin.on("/cut", (request, socket, out) -> {
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".getBytes());
                out.flush();
                return false;
            });
            try (RawClient client = proxy.client()) {
                client.send("GET /cut HTTP/1.1\r\nHost: h\r\n\r\n");
                assertThat(client.read(true).status()).isEqualTo(200);
            }
            assertThat(lines(3).get(2)).startsWith("127.0.0.1 TCP_MISS_ABORTED/200 ");
        }
        try (ProxyFixture proxy = proxy("origin", "http://127.0.0.1:1");
                RawClient client = proxy.client()) {
            int size = size(client.get("/down"));
            assertThat(lines(4).get(3))
                    .isEqualTo("127.0.0.1 TCP_MISS/502 " + size
                            + " GET http://test.example/down - HIER_NONE/- text/plain");
        }
    }

    @Test
    void forward_tunnelAndRefusal() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin().ok("/t", "", "through");
                ProxyFixture proxy = proxy(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.1",
                        "forward.connect-ports",
                        Integer.toString(origin.port()))) {
            String authority = "127.0.0.1:" + origin.port();
            int bytes;
            try (RawClient client = proxy.client()) {
                client.send(
                        "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
                bytes = size(client.read(true));
                client.send("GET /t HTTP/1.1\r\nHost: h\r\n\r\n");
                bytes += size(client.read(false));
            }
            assertThat(lines(1).get(0))
                    .isEqualTo("127.0.0.1 TCP_TUNNEL/200 " + bytes + " CONNECT " + authority
                            + " - HIER_DIRECT/127.0.0.1 -");
            try (RawClient client = proxy.client()) {
                client.send("GET http://127.0.0.2/x?secret HTTP/1.1\r\nHost: 127.0.0.2\r\n\r\n");
                int size = size(client.read(false));
                assertThat(lines(2).get(1))
                        .isEqualTo("127.0.0.1 TCP_DENIED/403 " + size
                                + " GET http://127.0.0.2/x? - HIER_NONE/- text/plain");
            }
        }
    }

    @Test
    void secure_uriIsAnHttpsOne() throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        try (ScriptedOrigin origin = new ScriptedOrigin().ok("/a", "", "x");
                ProxyFixture proxy = proxy(
                        "origin",
                        origin.url(),
                        "tls.listen",
                        "127.0.0.1:0",
                        "tls.certificates",
                        certified.write(directory, "one"));
                RawClient client = new RawClient(Certified.connect(
                        Certified.trusting(),
                        proxy.proxy.addresses().getLast(),
                        "one.example",
                        "TLSv1.3"))) {
            client.get("/a");
            assertThat(lines(1).getFirst()).contains(" GET https://test.example/a - ");
        }
    }

    @Test
    void rotateLog_beginsANewFile() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin().ok("/a", "", "x");
                ProxyFixture proxy = proxy("origin", origin.url());
                RawClient client = proxy.client()) {
            client.get("/a");
            lines(1);
            proxy.proxy.rotateLog();
            Path file = directory.resolve("access.log");
            Awaitility.await().until(() -> Files.size(file) == 0);
            client.get("/a");
            assertThat(lines(1)).hasSize(1);
            assertThat(Files.readAllLines(directory.resolve("access.log.0"))).hasSize(1);
        }
    }

    @Test
    void settings_invalidValues_areReportedTogether() {
        SettingReader values = GivenSettings.reader(
                java.util.Map.of(),
                java.util.Map.of(),
                java.util.Map.of(
                        "origin",
                        "http://127.0.0.1",
                        "log.format",
                        "apache",
                        "log.keep",
                        "-1",
                        "log.max-size",
                        "5"));
        try {
            ProxySettings.read(values);
            assertThat(values).as("accepted").isNull();
        } catch (SettingMistakesException e) {
            assertThat(e.mistakes())
                    .containsExactlyInAnyOrder(
                            "log.format: apache (expected: squid, common, combined or json)",
                            "log.max-size: 5 (expected: 0, or 1MB to 1TB)",
                            "log.keep: -1 (expected: 0 to 1,000)");
        }
    }
}
