package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.transport.Transport;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.kit.GoldenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** A file that 0.1.0 was started with is accepted, and means the same. */
class GoldenSettingsTest {

    @TempDir
    Path directory;

    @Test
    void read_fileOfAnEarlierRelease_givesWhatItMeantThen() {
        GoldenFiles.check(
                GoldenFiles.V0_1_0,
                "configuration/proxy.yaml",
                "settings of the proxy",
                this::read);
    }

    private void read() throws IOException, SettingMistakesException {
        GoldenFiles.unpack(GoldenFiles.V0_1_0, "tls", directory.resolve("tls"));
        Files.createDirectories(directory.resolve("tokens"));
        Files.writeString(directory.resolve("tokens/ingest.token"), "kmn_any\n");
        Files.writeString(
                directory.resolve("tokens/control.tokens"), "golden-control-token-0001\n");
        String text = Files.readString(GoldenFiles.V0_1_0.resolve("configuration/proxy.yaml"));
        Map<String, ?> file = new Yaml().load(text.replace("/srv/data", directory.toString()));

        ProxySettings settings = ProxySettings.read(GivenSettings.reader(file, Map.of(), Map.of()));

        assertThat(settings.firstListen()).hasToString("/127.0.0.1:7780");
        assertThat(settings.workers()).isEqualTo(2);
        assertThat(settings.transport()).isEqualTo(Transport.NIO);
        assertThat(settings.routes()).hasSize(2);
        assertThat(settings.cache().memoryBytes()).isEqualTo(1 << 20);
        assertThat(settings.cache().maxObjectShare()).isEqualTo(0.25);
        assertThat(settings.cache().policy()).isEqualTo(CachePolicy.LRU);
        assertThat(settings.cache().passMarkMillis()).isEqualTo(5_000);
        assertThat(settings.cache().storeCookies()).isFalse();
        assertThat(settings.cache().graceSeconds()).isEqualTo(300);
        assertThat(settings.cache().negativeSeconds()).isEqualTo(30);
        assertThat(settings.cache().targets()).containsExactly("golden-cache-control");
        assertThat(settings.cache().stripTags()).isFalse();
        assertThat(settings.disk().directory()).isEqualTo(directory.resolve("disk"));
        assertThat(settings.disk().bytes()).isEqualTo(64L << 20);
        assertThat(settings.peak().surge()).isEqualTo(50);
        assertThat(settings.peak().enter()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.peak().learn()).isFalse();
        assertThat(settings.connections().maxConnections()).isEqualTo(5_000);
        assertThat(settings.connections().maxPerClient()).isEqualTo(4_000);
        assertThat(settings.connections().headTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(settings.connections().idleTimeout()).isEqualTo(Duration.ofSeconds(45));
        assertThat(settings.connections().drainTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.connections().minBodyRate()).isEqualTo(256);
        assertThat(settings.deliver().stallTimeout()).isEqualTo(Duration.ofSeconds(50));
        assertThat(settings.deliver().minRate()).isEqualTo(10);
        assertThat(settings.deliver().readAheadBytes()).isEqualTo(8L << 20);
        assertThat(settings.upstream().connectTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(settings.upstream().maxIdle()).isEqualTo(32);
        assertThat(settings.upstream().maxOpen()).isEqualTo(512);
        assertThat(settings.upstream().maxWaiting()).isEqualTo(128);
        assertThat(settings.upstream().waitTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.exchangesPerSecond()).isEqualTo(100);
        assertThat(settings.central()).hasToString("http://127.0.0.1:7610");
        assertThat(settings.node()).isEqualTo("golden-edge");
        assertThat(settings.organizer()).isNotNull();
        assertThat(settings.organizer().membership().cluster()).isEqualTo("golden");
        assertThat(settings.organizer().share().copiesPercent()).isEqualTo(20);
        assertThat(settings.organizer().share().patience()).isEqualTo(Duration.ofMillis(700));
    }
}
