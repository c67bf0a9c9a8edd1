package dev.komainu.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.load.Load;
import dev.komainu.telemetry.kit.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The load's visitors of a target with TLS. */
class LoadOverTlsTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"1.1", "2"})
    void untrustedCertificate_isAcceptedOnlyWhenConfigured(String version) throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "here.example");
        int port = FreePort.freePort();
        Path settings = Files.writeString(
                directory.resolve("proxy.yaml"),
                "workers: 1\ntls.listen: 127.0.0.1:" + port + "\ntls.certificates: "
                        + certified.write(directory, "here") + "\n");
        try (var origin = new ScriptedOrigin();
                var proxy = new RunningProxy(
                        0, 0, "--origin", origin.url(), "--config", settings.toString())) {
            origin.ok("/x", "Cache-Control: max-age=60\r\n", "stored");
            Path urls = Files.writeString(directory.resolve("urls"), "/x\n");
            List<String> visit = new ArrayList<>(List.of(
                    "--target",
                    "https://127.0.0.1:" + port,
                    "--urls",
                    urls.toString(),
                    "--phases",
                    "10x1",
                    "--even",
                    "--http",
                    version));

            JsonNode wary = load(visit, 1);
            assertThat(wary.get("wished").asInt()).isPositive();
            assertThat(wary.get("answered").asInt()).isZero();
            assertThat(origin.requests).isEmpty();

            visit.add("--insecure");
            JsonNode trusting = load(visit, 0);
            assertThat(trusting.get("answered").asInt())
                    .isEqualTo(trusting.get("wished").asInt())
                    .isPositive();
            assertThat(trusting.get("hit").asInt()).isPositive();
        }
    }

    private JsonNode load(List<String> visit, int code) throws Exception {
        Path figures = directory.resolve("figures.json");
        List<String> all = new ArrayList<>(visit);
        all.addAll(List.of("--quiet", "--json", figures.toString()));
        assertThat(new CommandLine(new Load()).execute(all.toArray(String[]::new)))
                .isEqualTo(code);
        return JsonMapper.builder().build().readTree(Files.readString(figures)).get("all");
    }
}
