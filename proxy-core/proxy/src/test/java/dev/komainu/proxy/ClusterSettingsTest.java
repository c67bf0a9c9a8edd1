package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.organizer.OrganizerSettings;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** A proxy's file with a member's part in it. */
class ClusterSettingsTest {

    private static final String MEMBER = """
            organizer:
              member: edge
              listen: 127.0.0.1:7690
              secret-file: /etc/komainu/secret
              meet: {seeds: [10.0.0.1]}
            """;

    private static SettingReader values(String yaml, Map<String, String> environment) {
        return new SettingReader(sources(yaml, environment));
    }

    private static List<SettingSource> sources(String yaml, Map<String, String> environment) {
        return GivenSettings.sources(new Yaml().<Map<?, ?>>load(yaml), environment, Map.of());
    }

    private static List<String> problems(String yaml) {
        return catchThrowableOfType(
                        SettingMistakesException.class,
                        () -> ProxySettings.read(values(yaml, Map.of())))
                .mistakes();
    }

    @Test
    void read_member_withItsShareAndTheEnvironment() throws Exception {
        String share =
                "  share: {patience: 2s, copies: 25}\n  serve: [{prefix: h/, cache: true}]\n";
        OrganizerSettings read = Objects.requireNonNull(ProxySettings.read(values(
                        MEMBER + share + "origin: cluster\n",
                        Map.of("KOMAINU_ORGANIZER_CLUSTER", "shop")))
                .organizer());
        assertThat(read.membership().cluster()).isEqualTo("shop");
        assertThat(read.membership().member().text()).isEqualTo("edge");
        assertThat(read.share().patience()).isEqualTo(Duration.ofSeconds(2));
        assertThat(read.share().copiesPercent()).isEqualTo(25);
        assertThat(read.serve()).hasSize(1);
        assertThat(read.serve().getFirst().host()).isEmpty();
    }

    @Test
    void read_invalidValues_areReportedWithTheirSource() {
        assertThat(problems("origin: cluster\n"))
                .containsExactly(
                        "origin: cluster (expected: beside organizer, the settings of a member)");
        assertThat(problems("organizer: yes\norigin: http://h\n"))
                .contains("organizer: true (expected: a map of settings)");
        assertThat(problems("origin: [cluster, 'http://h']\n" + MEMBER))
                .contains("origin: cluster beside servers (expected: one of the two)");
        String wrong =
                "  share: {copies: 101}\n  serve: [{prefix: h/}]\n  front: {listen: 127.0.0.1}\n";
        assertThat(problems(MEMBER + wrong + "origin: http://h\n"))
                .anyMatch(problem -> problem.startsWith("organizer.front.listen: unknown setting"))
                .contains(
                        "organizer.share.copies: 101 (expected: 0 to 100, percent)",
                        "organizer.serve[0].server: none (expected: HOST:PORT of the server that serves it, or"
                                + " cache: true for this proxy)");
    }

    @Test
    void again_memberIsSetOtherwise_needsARestart() throws Exception {
        String[] file = {MEMBER + "origin: http://h\n"};
        Configuration<ProxySettings> configuration =
                Configuration.read(() -> sources(file[0], Map.of()), ProxySettings::read);
        file[0] = MEMBER.replace("edge", "other") + "origin: http://i\n";
        Configuration.Change<ProxySettings> change = configuration.reread();
        assertThat(change.needsRestart()).containsOnlyKeys("organizer.member");
        assertThat(change.applied()).containsExactly("origin");
        assertThat(Objects.requireNonNull(change.settings().organizer())
                        .membership()
                        .member()
                        .text())
                .isEqualTo("edge");
    }
}
