package dev.komainu.agent.discovery.nginx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.agent.NginxServer;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealNginxTest {

    private static final Pattern DUMPED =
            Pattern.compile("^# configuration file (\\S+):$", Pattern.MULTILINE);

    @Test
    void read_configurationOfThePackage_readsTheSameFilesAsNginx() {
        RealServer.needs("/etc/nginx/nginx.conf", "nginx-light");
        List<String> dumped = new ArrayList<>();
        Matcher matcher = DUMPED.matcher(RealServer.run(List.of("/usr/sbin/nginx", "-T")));
        while (matcher.find()) {
            dumped.add(matcher.group(1));
        }
        assumeTrue(
                !dumped.isEmpty(), "nginx -T: no output (expected: permission to open its logs)");
        ServerConfiguration read = Readings.read(
                new NginxReader(),
                "nginx",
                "1.22.1",
                80,
                List.of("nginx", "-c", "/etc/nginx/nginx.conf"));
        assertThat(read.problems()).isEmpty();
        assertThat(read.files())
                .extracting(ConfigurationFile::path)
                .containsExactlyInAnyOrderElementsOf(dumped);
    }

    @Test
    void scan_configurationChanges_isReadAgainAtTheNextScanOnly(@TempDir Path directory)
            throws Exception {
        try (NginxServer nginx = NginxServer.start(directory);
                Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS)) {
            assertThat(value(find(discovery.scan(), nginx.port()), "keepalive_timeout"))
                    .isEqualTo("15");
            assertThat(discovery.scan().changed())
                    .noneMatch(server -> server.port() == nginx.port());
            String text = Files.readString(nginx.configuration());
            Files.writeString(
                    nginx.configuration(),
                    text.replace(
                            "keepalive_timeout 15;",
                            "keepalive_timeout 99; include more.d/*.conf;"));
            DiscoveredServer changed = find(discovery.scan(), nginx.port());
            assertThat(value(changed, "keepalive_timeout")).isEqualTo("99");
            assertThat(changed.version()).isNotNull();
            Files.createDirectories(directory.resolve("more.d"));
            Files.writeString(directory.resolve("more.d/a.conf"), "send_timeout 3s;\n");
            assertThat(value(find(discovery.scan(), nginx.port()), "send_timeout"))
                    .isEqualTo("3s");
            Files.writeString(directory.resolve("more.d/b.conf"), "send_timeout 4s;\n");
            assertThat(value(find(discovery.scan(), nginx.port()), "send_timeout"))
                    .isEqualTo("4s");
            assertThat(discovery.scan().changed())
                    .noneMatch(server -> server.port() == nginx.port());
        }
    }

    private static DiscoveredServer find(Discovery.Scan scan, int port) {
        return scan.changed().stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new AssertionError("port " + port + ": no change reported"));
    }

    private static String value(DiscoveredServer server, String name) {
        return Readings.value(server.configuration(), name);
    }
}
