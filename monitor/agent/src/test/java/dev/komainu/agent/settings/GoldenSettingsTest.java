package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.exchange.PrivacyRules;
import dev.komainu.agent.evidence.EvidenceSettings;
import dev.komainu.agent.host.HostSettings;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that 0.1.0 was started with is accepted, and means the same. */
class GoldenSettingsTest {

    private static final Path FILE = GoldenFiles.V0_1_0.resolve("configuration/agent.yaml");

    @TempDir
    Path directory;

    @Test
    void read_fileOfAnEarlierRelease_givesWhatItMeantThen() {
        GoldenFiles.check(
                GoldenFiles.V0_1_0,
                "configuration/agent.yaml",
                "settings of the agent",
                this::read);
    }

    private void read() throws IOException, SettingMistakesException {
        Files.createDirectories(directory.resolve("evidence"));
        Files.createDirectories(directory.resolve("tokens"));
        Files.writeString(directory.resolve("tokens/ingest.token"), "kmn_any\n");
        Path file = directory.resolve("agent.yaml");
        Files.writeString(file, Files.readString(FILE).replace("/srv/data", directory.toString()));

        AgentSettings settings = GivenSettings.read(Map.of(), Map.of(), file, "another");

        assertThat(settings.node()).isEqualTo("golden-web");
        assertThat(settings.mode()).isEqualTo(AgentSettings.Mode.BOTH);
        assertThat(settings.interfaces()).containsExactly("lo");
        assertThat(settings.ports()).isEmpty();
        assertThat(settings.alsoPorts()).containsExactly(9000);
        assertThat(settings.services()).containsExactly(Endpoint.parse("192.0.2.7:8088"));
        assertThat(settings.print()).isTrue();
        assertThat(settings.data()).isEqualTo(directory.resolve("agent"));
        assertThat(settings.snaplen()).isEqualTo(512);
        assertThat(settings.bufferBytes()).isEqualTo(8 << 20);
        assertThat(settings.captureThreads()).isEqualTo(2);
        assertThat(settings.printWindow()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.privacy()).isEqualTo(new PrivacyRules(true, PrivacyRules.Targets.FULL));
        assertThat(settings.host())
                .isEqualTo(new HostSettings(
                        Duration.ofSeconds(5), Duration.ofSeconds(2), false, false, false, false));
        assertThat(settings.discoveryInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.outside().readsAccessLogs()).isTrue();
        assertThat(settings.outside().accessLogs()).singleElement().satisfies(log -> {
            assertThat(log.service()).isEqualTo("golden-web:8080");
            assertThat(log.file()).isEqualTo(directory.resolve("nginx/timed.log"));
            assertThat(log.format()).isEqualTo("%h %l %u %t \"%r\" %>s %b %D");
        });
        assertThat(settings.outside().proxies()).hasSize(2);
        assertThat(settings.evidence())
                .isEqualTo(new EvidenceSettings(
                        directory.resolve("evidence/packets.pcap"), 1 << 20, 64, true));
        assertThat(settings.central()).hasToString("http://127.0.0.1:7610");
        assertThat(settings.tokenFile()).isEqualTo(directory.resolve("tokens/ingest.token"));
        assertThat(settings.changes().allowed()).isTrue();
    }
}
