package dev.komainu.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.load.Load;
import dev.komainu.load.ThinkingOrigin;
import dev.komainu.telemetry.kit.FreePort;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The load's visitors of a proxy in front of the thinking origin. */
class LoadThroughProxyTest {

    @TempDir
    Path directory;

    private JsonNode load(String... arguments) throws Exception {
        Path figures = directory.resolve("figures.json");
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--quiet", "--json", figures.toString()));
        assertThat(new CommandLine(new Load()).execute(all.toArray(String[]::new)))
                .isZero();
        return JsonMapper.builder().build().readTree(Files.readString(figures));
    }

    /** Starts an origin that serves until this JVM ends. */
    private static String origin() {
        int port = FreePort.freePort();
        Thread.ofPlatform()
                .daemon()
                .start(() -> new CommandLine(new ThinkingOrigin())
                        .execute(
                                "--listen", "127.0.0.1:" + port, "--think", "0-0", "--keep-alive"));
        Awaitility.await().ignoreExceptionsInstanceOf(IOException.class).until(() -> {
            new Socket("127.0.0.1", port).close();
            return true;
        });
        return "http://127.0.0.1:" + port;
    }

    @Test
    void call_twoPhasesThroughTheProxy_agreesWithTheProxysHitsAndMisses() throws Exception {
        try (var proxy = new RunningProxy(0, 0, "--origin", origin())) {
            Path urls = Files.writeString(directory.resolve("urls"), """
                    # three pages
                    /object/1/2000/keep /object/4/100/keep
                    /object/2/2000/keep
                    /object/3/2000/fresh
                    """);
            JsonNode figures = load(
                    "--target",
                    "http://127.0.0.1:" + proxy.address().getPort(),
                    "--phases",
                    "first:40x1,second:40x1",
                    "--even",
                    "--urls",
                    urls.toString(),
                    "--from",
                    "127.0.3.1+20");

            JsonNode all = figures.get("all");
            assertThat(figures.get("phases").get(0).get("name").asString()).isEqualTo("first");
            assertThat(all.get("answered").asInt())
                    .isEqualTo(all.get("wished").asInt())
                    .isGreaterThanOrEqualTo(78);
            assertThat(all.get("hit").asInt()).isPositive();
            assertThat(all.get("miss").asInt()).isPositive();
            assertThat(all.get("hit").asInt() + all.get("miss").asInt())
                    .isEqualTo(all.get("answered").asInt());
            assertThat(all.get("sizes").get(0).get("wholeMicros").get("count").asInt())
                    .isPositive();
        }
    }

    @Test
    void call_http2WithOneConnectionPerVisitor_isAnswered() throws Exception {
        try (var proxy = new RunningProxy(0, 0, "--origin", origin())) {
            JsonNode figures = load(
                    "--target",
                    "http://127.0.0.1:" + proxy.address().getPort(),
                    "--phases",
                    "10x1",
                    "--even",
                    "--http",
                    "2",
                    "--embedded",
                    "5");

            JsonNode all = figures.get("all");
            assertThat(all.get("answered").asInt()).isEqualTo(all.get("wished").asInt());
            assertThat(all.get("connections").asInt())
                    .isLessThan(all.get("answered").asInt());
        }
    }
}
