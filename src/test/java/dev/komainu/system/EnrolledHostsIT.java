package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Two further hosts, each a network namespace with an nginx, enrol with one command each. All
 * traffic between them and the central service is recorded: none of it is outside TLS, and no
 * secret is found in it without the keys of the sessions.
 */
class EnrolledHostsIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RECORD_HEAD_BYTES = 5;
    private static final int MOST_RECORD_BYTES = (1 << 14) + 256;

    @TempDir
    private Path directory;

    private final NamespaceLinks links = new NamespaceLinks("10.214");
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private Platform platform;

    @BeforeEach
    void linksAndPlatform() throws Exception {
        Capability.need(
                "captures and network namespaces",
                Capability.NET_RAW,
                Capability.NET_ADMIN,
                Capability.SYS_ADMIN);
        for (String program : List.of("ip", "tcpdump", "tshark", "curl", "nginx")) {
            Program.need(program);
        }
        links.add("a");
        links.add("b");
        platform = Platform.up("--listen", links.center());
    }

    @AfterEach
    void down() throws Exception {
        try {
            for (Process process : processes.values()) {
                stop(process);
            }
            if (platform != null) {
                platform.close();
            }
        } finally {
            links.close();
        }
    }

    private static void stop(Process process) throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private int port() {
        return URI.create(platform.url()).getPort();
    }

    /** Makes a code on the service's host, as an administrator does there. */
    private String code(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Platform.ROOT.resolve("komainu").toString(),
                "enrol",
                "--kind",
                "agent",
                "--address",
                links.center() + ":" + port(),
                "--data",
                platform.data().resolve("central").toString()));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isZero();
        Matcher code = Pattern.compile("--enrol '([^']+)'").matcher(words);
        assertThat(code.find()).as(words).isTrue();
        return code.group(1);
    }

    private void agent(String host, String code) throws IOException {
        start(
                "agent-" + host,
                "ip",
                "netns",
                "exec",
                links.namespace(host),
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                "host-" + host,
                "--enrol",
                code,
                "--data",
                directory.resolve("agent-" + host).toString());
    }

    private void start(String name, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("KOMAINU_BUILT", "yes");
        processes.put(
                name,
                builder.redirectErrorStream(true)
                        .redirectOutput(log(name).toFile())
                        .start());
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    private String logged(String name) throws IOException {
        return Files.readString(log(name));
    }

    private JsonNode source(String name) throws InterruptedException {
        for (JsonNode source : platform.tryGet("/api/v1/sources")) {
            if (source.path("name").asString("").equals(name)) {
                return source;
            }
        }
        return JSON.missingNode();
    }

    private void record(String link) throws IOException {
        start(
                "tcpdump-" + link,
                "tcpdump",
                "-i",
                links.device(link),
                "-U",
                "--immediate-mode",
                "-w",
                capture(link).toString(),
                "tcp and port " + port());
        Awaitility.await("the recording of " + link)
                .atMost(Duration.ofSeconds(30))
                .until(() -> logged("tcpdump-" + link).contains("listening on"));
    }

    private Path capture(String link) {
        return directory.resolve(link + ".pcap");
    }

    @Test
    void twoHosts_enrolWithOneCommandEach_andNothingTravelsInClear() throws Exception {
        record("a");
        record("b");
        String code = code("--uses", "2");
        Map<String, RealNginx> servers = new LinkedHashMap<>();
        try {
            for (String host : List.of("a", "b")) {
                servers.put(
                        host,
                        RealNginx.startIn(
                                links.namespace(host), InetAddress.ofLiteral(links.address(host))));
                agent(host, code);
            }
            for (String host : List.of("a", "b")) {
                String service = "host-" + host + ":" + servers.get(host).port();
                Awaitility.await(service)
                        .atMost(Duration.ofSeconds(60))
                        .untilAsserted(
                                () -> assertThat(platform.tryGet("/api/v1/services/" + service)
                                                .path("id")
                                                .asString(""))
                                        .as(logged("agent-" + host))
                                        .isEqualTo(service));
                assertThat(source("agent@host-" + host).path("credential").asString(""))
                        .isEqualTo("certificate");
                assertThat(logged("agent-" + host)).contains("Enrolled: agent@host-" + host);
            }
            assertRefusedCodes(code);
            String password = platform.firstPassword();
            curl(password);
            String token = platform.env("KOMAINU_TOKEN");
            // The search itself is right: with the keys of the sessions it finds what curl sent.
            Awaitility.await("curl's requests are recorded")
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () -> assertThat(opened(capture("a"))).contains(password, token));
            for (String host : List.of("a", "b")) {
                stop(processes.get("tcpdump-" + host));
                assertOnlyTls(capture(host));
            }
            for (String secret : List.of(password, token, code.split("[#.]")[4])) {
                for (String host : List.of("a", "b")) {
                    assertThat(contains(capture(host), secret)).as(secret).isFalse();
                }
            }
            assertRevoked("a", "b");
        } finally {
            for (RealNginx server : servers.values()) {
                server.close();
            }
        }
    }

    /** A code that is used up, and one whose fingerprint is another's: both sides tell it. */
    private void assertRefusedCodes(String used) throws Exception {
        Files.createDirectories(directory.resolve("agent-c"));
        start(
                "used",
                "ip",
                "netns",
                "exec",
                links.namespace("a"),
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                "host-c",
                "--enrol",
                used,
                "--data",
                directory.resolve("agent-c").toString());
        assertThat(processes.get("used").waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(processes.get("used").exitValue()).isNotZero();
        assertThat(logged("used")).contains("used 2 times");
        String fresh = code();
        String forged = fresh.substring(0, fresh.lastIndexOf('.') + 1) + "A".repeat(43);
        start(
                "forged",
                "ip",
                "netns",
                "exec",
                links.namespace("a"),
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                "host-c",
                "--enrol",
                forged,
                "--data",
                directory.resolve("agent-c").toString());
        Awaitility.await("the wrong fingerprint is told")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> {
                    assertThat(logged("forged")).contains("A".repeat(43));
                    assertThat(Files.readString(platform.data().resolve("log/central.log")))
                            .contains("Handshake failed");
                });
        stop(processes.get("forged"));
    }

    /** A login and a request with a token from host a, whose keys curl writes. */
    private void curl(String password) throws Exception {
        for (List<String> options : List.of(
                List.of(
                        "-H",
                        "Content-Type: application/json",
                        "-d",
                        "{\"name\":\"admin\",\"password\":\"" + password + "\"}",
                        platform.url() + "/api/v1/session"),
                List.of(
                        "-H",
                        "Authorization: Bearer " + platform.env("KOMAINU_TOKEN"),
                        platform.url() + "/api/v1/services"))) {
            List<String> command = new ArrayList<>(List.of(
                    "ip",
                    "netns",
                    "exec",
                    links.namespace("a"),
                    "curl",
                    "--fail",
                    "--silent",
                    "--show-error",
                    "--cacert",
                    platform.env("KOMAINU_AUTHORITY")));
            command.addAll(options);
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("SSLKEYLOGFILE", directory.resolve("keys").toString());
            Process process = builder.start();
            String words =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(words).isZero();
        }
    }

    /** All bytes that each side sent are TLS records, from the first to the last whole one. */
    private static void assertOnlyTls(Path capture) throws Exception {
        int streams = 0;
        for (String stream : tshark("-r", capture.toString(), "-T", "fields", "-e", "tcp.stream")
                .lines()
                .distinct()
                .toList()) {
            for (String side : List.of("0", "1")) {
                byte[] sent = sent(capture, stream, side);
                int at = 0;
                while (at + RECORD_HEAD_BYTES <= sent.length) {
                    int length = (sent[at + 3] & 0xff) << 8 | sent[at + 4] & 0xff;
                    assertThat(sent[at] >= 20 && sent[at] <= 23 && sent[at + 1] == 3)
                            .as("stream %s, side %s, byte %s", stream, side, at)
                            .isTrue();
                    assertThat(length).isLessThanOrEqualTo(MOST_RECORD_BYTES);
                    at += RECORD_HEAD_BYTES + length;
                    streams++;
                }
            }
        }
        assertThat(streams).as("records of " + capture).isGreaterThan(10);
    }

    /** Returns what one side of a connection sent, without what was sent twice. */
    private static byte[] sent(Path capture, String stream, String side) throws Exception {
        StringBuilder hex = new StringBuilder();
        for (String line : tshark("-r", capture.toString(), "-q", "-z", "follow,tcp,raw," + stream)
                .lines()
                .filter(line -> line.matches("\t?[0-9a-f]+"))
                .toList()) {
            // The second side's bytes are indented.
            if (line.startsWith("\t") == side.equals("1")) {
                hex.append(line.strip());
            }
        }
        return HexFormat.of().parseHex(hex);
    }

    private static boolean contains(Path capture, String secret) throws IOException {
        return new String(Files.readAllBytes(capture), StandardCharsets.ISO_8859_1)
                .contains(secret);
    }

    /** Returns the secrets of HTTP in a recording that is opened with curl's keys. */
    private String opened(Path capture) throws Exception {
        return tshark(
                "-r",
                capture.toString(),
                "-o",
                "tls.keylog_file:" + directory.resolve("keys"),
                "-d",
                "tls.port==" + port() + ",http",
                "-Y",
                "http",
                "-T",
                "fields",
                "-e",
                "http.authorization",
                "-e",
                "http.file_data");
    }

    private static String tshark(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("tshark"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(); // not zero while the last packet is being written
        return words;
    }

    /** The revoked host is refused at once, and says so; the other one goes on. */
    private void assertRevoked(String revoked, String other) throws Exception {
        Administrator administrator = new Administrator();
        JsonNode parts = administrator.send("GET", "/api/v1/parts", null).path("parts");
        for (JsonNode part : parts) {
            if (part.path("source").asString("").equals("agent@host-" + revoked)) {
                administrator.send("DELETE", "/api/v1/parts/" + part.path("id").asString(), null);
            }
        }
        Awaitility.await("the revoked host says so")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(logged("agent-" + revoked)).contains("revoked"));
        String before = source("agent@host-" + other).path("lastSeen").asString("");
        Awaitility.await("the other host reports")
                .atMost(Duration.ofSeconds(30))
                .until(() -> !source("agent@host-" + other)
                        .path("lastSeen")
                        .asString("")
                        .equals(before));
    }

    /** The first administrator, logged in with a password of its own. */
    private final class Administrator {

        private static final String PASSWORD = "correct horse battery staple";
        private String cookie = "";
        private String csrf = "";

        Administrator() throws Exception {
            String first = platform.firstPassword();
            logIn(first);
            send(
                    "PUT",
                    "/api/v1/session/password",
                    Map.of("currentPassword", first, "newPassword", PASSWORD));
            send("PUT", "/api/v1/session/confirmation", Map.of("password", PASSWORD));
        }

        private void logIn(String password) throws Exception {
            HttpResponse<String> answer = platform.http()
                    .send(
                            HttpRequest.newBuilder(URI.create(platform.url() + "/api/v1/session"))
                                    .header("Content-Type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            JSON.writeValueAsString(
                                                    Map.of("name", "admin", "password", password))))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            cookie = String.join(
                    "; ",
                    answer.headers().allValues("Set-Cookie").stream()
                            .map(each -> each.split(";")[0])
                            .toList());
            csrf = JSON.readTree(answer.body()).path("csrfToken").asString();
        }

        JsonNode send(String method, String path, Object body) throws Exception {
            HttpResponse<String> answer = platform.http()
                    .send(
                            HttpRequest.newBuilder(URI.create(platform.url() + path))
                                    .header("Cookie", cookie)
                                    .header("X-CSRF-Token", csrf)
                                    .header("Content-Type", "application/json")
                                    .method(
                                            method,
                                            body == null
                                                    ? HttpRequest.BodyPublishers.noBody()
                                                    : HttpRequest.BodyPublishers.ofString(
                                                            JSON.writeValueAsString(body)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
            return answer.body().isEmpty() ? JSON.missingNode() : JSON.readTree(answer.body());
        }
    }
}
