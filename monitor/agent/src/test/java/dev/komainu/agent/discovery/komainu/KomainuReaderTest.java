package dev.komainu.agent.discovery.komainu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KomainuReaderTest {

    @Test
    void read_commandLineEnvironmentAndFile_applyInThatOrder(@TempDir Path directory)
            throws Exception {
        Path file = Files.writeString(directory.resolve("proxy.yaml"), """
                workers: 9
                routes:
                  - {prefix: /, origin: "http://127.0.0.1:8000"}
                  - {prefix: /s, origin: http://app.test}
                cache:
                  memory: 256MB
                connections:
                  max: 20_000
                  idle-timeout: 30s
                """);
        ServerConfiguration read = Readings.read(
                new KomainuReader(),
                "komainu",
                "0.1.0",
                7680,
                List.of(
                        "java",
                        "dev.komainu.proxy.ProxyServer",
                        "--config",
                        file.toString(),
                        "--workers",
                        "3"),
                "KOMAINU_CONNECTIONS_IDLE_TIMEOUT=20s",
                "KOMAINU_CONTROL_TOKEN=hunter2");
        assertThat(read.settings())
                .contains(
                        new Setting("workers", "3", "command line --workers"),
                        new Setting("cache.memory", "268435456", file + ":6"),
                        new Setting("connections.max", "20000", file + ":8"),
                        new Setting(
                                "connections.idle-timeout",
                                "20s",
                                "environment KOMAINU_CONNECTIONS_IDLE_TIMEOUT"),
                        new Setting("upstream.max-open", "1024", "default of komainu 0.1.0"),
                        new Setting("mode", "reverse", "default of komainu 0.1.0"));
        assertThat(read.upstreams())
                .extracting(Upstream::address)
                .containsExactly("127.0.0.1:8000", "app.test:80");
    }
}
