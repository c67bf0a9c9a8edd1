package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingsFile;
import dev.komainu.telemetry.kit.GoldenFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A settings file of 0.1.0 is accepted with the same meaning. */
class GoldenSettingsTest {

    private static final Path FILE = GoldenFiles.V0_1_0.resolve("configuration/organizer.yaml");

    @Test
    void read_fileOfAnEarlierRelease_givesWhatItMeantThen() {
        GoldenFiles.check(
                GoldenFiles.V0_1_0,
                "configuration/organizer.yaml",
                "settings of the organizer",
                this::read);
    }

    private void read() throws Exception {
        OrganizerSettings settings =
                OrganizerSettings.read(new SettingReader(List.of(SettingsFile.read(FILE))));

        assertThat(settings.membership().cluster()).isEqualTo("golden");
        assertThat(settings.membership().listen().getPort()).isEqualTo(7790);
        assertThat(settings.membership().seeds())
                .extracting(seed -> seed.getHostString() + ":" + seed.getPort())
                .containsExactly("127.0.0.1:7790", "127.0.0.1:7795");
        assertThat(settings.membership().detect()).isEqualTo(Duration.ofMillis(2500));
        assertThat(settings.line().host() + ":" + settings.line().port())
                .isEqualTo("127.0.0.1:7791");
        assertThat(settings.plainLines()).isFalse();
        assertThat(settings.lines().carrier()).isEqualTo(LineCarrier.TCP);
        assertThat(settings.lines().connections()).isEqualTo(2);
        assertThat(settings.lines().congestion()).isEqualTo("cubic");
        assertThat(settings.lines().streamWindowBytes()).isEqualTo(1 << 20);
        assertThat(settings.lines().connectionWindowBytes()).isEqualTo(8 << 20);
        assertThat(settings.lines().heldBytes()).isEqualTo(32L << 20);
        assertThat(settings.lines().maxStreams()).isEqualTo(500);
        assertThat(settings.lines().pingEvery()).isEqualTo(Duration.ofMillis(700));
        assertThat(settings.lines().silence()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.lines().connectTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(settings.lines().patience()).isEqualTo(Duration.ofSeconds(2));
        assertThat(settings.front()).hasToString("/127.0.0.1:7785");
        assertThat(settings.pages().pushBytes()).isEqualTo(768L << 10);
        assertThat(settings.pages().holdBytes()).isEqualTo(16L << 20);
        assertThat(settings.secretFile()).isEqualTo(Path.of("/srv/data/tokens/cluster.secret"));
        assertThat(settings.serve()).hasSize(2);
        assertThat(settings.serve().getFirst().route().prefix()).hasToString("www.golden.example/");
        assertThat(settings.serve().getFirst().route().weight()).isEqualTo(3);
        assertThat(settings.serve().getFirst().route().capacity()).isEqualTo(32);
        assertThat(settings.serve().getFirst().route().content()).isEqualTo("site-1");
        assertThat(settings.serve().getLast().route().cache()).isTrue();
        assertThat(settings.services()).hasSize(2);
        assertThat(settings.control()).isNotNull();
        assertThat(settings.report()).isNotNull();
        assertThat(settings.data()).isEqualTo(Path.of("/srv/data/organizer"));
    }
}
