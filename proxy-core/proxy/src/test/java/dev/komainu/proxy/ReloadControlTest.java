package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Reloads over the control endpoint: the rights, the responses, and the page of settings. */
class ReloadControlTest {

    private static final String CONFIG = "config-config-config";
    private static final String READER = "reader-reader-reader";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private ScriptedOrigin origin;
    private ReloadableProxy proxy;

    @BeforeEach
    void setUp() throws IOException {
        Path tokens = Files.writeString(
                directory.resolve("tokens"), CONFIG + " config\n" + READER + " read\n");
        origin = new ScriptedOrigin().ok("/a", "Cache-Control: no-store\r\n", "a");
        proxy = new ReloadableProxy(
                "origin",
                origin.url(),
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString());
    }

    @AfterEach
    void tearDown() throws IOException {
        proxy.close();
        origin.close();
        http.close();
    }

    private HttpResponse<String> ask(String method, String path, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + proxy.proxy.controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void reload_isForTheScopeConfig() throws Exception {
        for (String path : new String[] {
            "/control/v1/reload", "/control/v1/reload?dryRun=true", "/control/v1/log/rotate"
        }) {
            assertThat(ask("GET", path, CONFIG).statusCode()).isEqualTo(405);
            assertThat(ask("POST", path, "").statusCode()).isEqualTo(401);
            assertThat(ask("POST", path, READER).statusCode()).isEqualTo(403);
        }
        assertThat(ask("POST", "/control/v1/reload?dry=true", CONFIG).statusCode())
                .isEqualTo(400);
        assertThat(proxy.proxy.reload(true).generation()).isOne();
    }

    @Test
    void reload_reportsAppliedAndPendingChanges_andIsCounted() throws Exception {
        proxy.write("cache.grace", "1m", "workers", "2");
        HttpResponse<String> dry = ask("POST", "/control/v1/reload?dryRun=true", CONFIG);
        assertThat(dry.statusCode()).isEqualTo(200);
        assertThat(dry.body())
                .startsWith(
                        "{\"applied\":[\"cache.grace\"],\"needsRestart\":[\"workers\"],"
                                + "\"reasons\":{\"workers\":\"event loops run from the start on\"},\"unchanged\":")
                .endsWith(",\"generation\":1,\"dryRun\":true}\n");
        assertThat(ask("POST", "/control/v1/reload", CONFIG).body())
                .endsWith(",\"generation\":2,\"dryRun\":false}\n");
        proxy.write("cache.grace", "soon", "upstream.max-open", "0");
        HttpResponse<String> refused = ask("POST", "/control/v1/reload", CONFIG);
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.headers().firstValue("Content-Type"))
                .contains("application/problem+json");
        assertThat(refused.body())
                .contains("\"detail\":\"2 mistakes; nothing has changed\"")
                .contains("\"problems\":[\"cache.grace: soon (expected: ")
                .contains("upstream.max-open: 0 (expected: ");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(ask("GET", "/metrics", "").body())
                        .contains("komainu_proxy_configuration_generation 2.0\n")
                        .contains("komainu_proxy_reloads_total 1.0\n")
                        .contains("komainu_proxy_reloads_refused_total 1.0\n")
                        .containsPattern("komainu_proxy_last_reload_time_seconds 1[.0-9E]+\n"));
        assertThat(ask("GET", "/control/v1/stats", "").body())
                .contains(
                        "\"configurationGeneration\":2,\"reloads\":1,\"reloadsRefused\":1,\"lastReloadMicros\":1");
    }

    @Test
    void tokens_areOthersAfterwards_unlessTheirFileHasAMistake() throws Exception {
        Path others = Files.writeString(directory.resolve("others"), "short\n");
        proxy.write("control.token-file", others.toString(), "control.read-token", "required");
        assertThat(ask("POST", "/control/v1/reload", CONFIG).body())
                .contains("\"problems\":[\"control.token-file: ");
        Files.writeString(others, "another-another-another config\n");
        assertThat(ask("POST", "/control/v1/reload", CONFIG).statusCode()).isEqualTo(200);
        assertThat(ask("POST", "/control/v1/reload", CONFIG).statusCode()).isEqualTo(401);
        assertThat(ask("GET", "/metrics", "").statusCode()).isEqualTo(401);
        assertThat(ask("POST", "/control/v1/reload", "another-another-another").statusCode())
                .isEqualTo(200);
    }

    @Test
    void rotation_movesWhatWasWritten() throws Exception {
        assertThat(ask("POST", "/control/v1/log/rotate", CONFIG).statusCode()).isEqualTo(409);
        Path log = directory.resolve("access.log");
        assertThat(proxy.reload("log.access", log.toString()).problems()).isEmpty();
        try (RawClient client = proxy.client()) {
            client.get("/a");
        }
        assertThat(ask("POST", "/control/v1/log/rotate", CONFIG).statusCode()).isEqualTo(202);
        Path rotated = directory.resolve("access.log.0");
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> Files.exists(rotated) && Files.exists(log));
        assertThat(Files.readAllLines(rotated)).hasSize(1);
    }

    @Test
    void reload_ofAProxyThatIsDraining_isRefused() throws Exception {
        proxy.proxy.drain();
        assertThat(proxy.reload("cache.grace", "1m").problems())
                .containsExactly("reload: too late (expected: before the drain)");
    }

    @Test
    void check_reportsInvalidValuesAndExits() throws Exception {
        Path file = Files.writeString(
                directory.resolve("proxy.yaml"), "origin: " + origin.url() + "\n");
        assertThat(check(file)).isZero();
        Files.writeString(file, "origin: " + origin.url() + "\nworkers: none\n");
        assertThat(check(file)).isEqualTo(2);
        Files.writeString(
                file,
                "origin: " + origin.url() + "\ncontrol:\n  token-file: " + directory
                        + "/missing\n");
        assertThat(check(file)).isEqualTo(2);
    }

    private static int check(Path file) {
        return new CommandLine(new ProxyServer()).execute("--check", "--config", file.toString());
    }
}
