package dev.komainu.agent.discovery;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.telemetry.kit.Capability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An nginx in a separate mount namespace, where its path leads to another file than on the host.
 */
class ContainerTest {

    @Test
    void discovered_serverInASeparateMountNamespace_isReadWithItsOwnFiles(@TempDir Path directory)
            throws Exception {
        RealServer.needs("/usr/sbin/nginx", "nginx-light");
        Capability.need("mount namespaces", Capability.SYS_ADMIN);
        int port = freePort();
        Path hidden = Files.createDirectories(directory.resolve("hidden"));
        Path seen = Files.createDirectories(directory.resolve("seen"));
        Files.writeString(
                seen.resolve("nginx.conf"),
                "worker_processes 7;\nhttp { server { listen " + port + "; } }\n");
        Files.writeString(
                hidden.resolve("nginx.conf"), String.format(Locale.ROOT, """
                daemon off;
                worker_processes 1;
                pid %1$s/pid;
                error_log %1$s/error.log;
                events {}
                http { access_log %1$s/access.log; server { listen 127.0.0.1:%2$d; } }
                """, seen, port));
        RealServer.openToAll(directory);
        try (RealServer nginx = RealServer.start(
                List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount --bind " + hidden + " " + seen + " && exec /usr/sbin/nginx -p "
                                + seen + " -c " + seen.resolve("nginx.conf")),
                directory,
                port,
                Map.of())) {
            DiscoveredServer server = nginx.discovered();
            assertThat(Readings.value(server.configuration(), "worker_processes"))
                    .isEqualTo("1");
            assertThat(server.version())
                    .as("the host's own program, read through the container's mounts")
                    .isNotNull();
            assertThat(server.accessLogs()).singleElement().satisfies(log -> {
                assertThat(log.root()).isEqualTo("/proc/" + server.processId() + "/root");
                assertThat(log.file(java.time.ZonedDateTime.now())).exists();
            });
        }
    }
}
