package dev.komainu.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests of the labels in the agent's settings. */
class LabelSettingsTest {

    private static LabelSettings of(String labels) throws Exception {
        return GivenSettings.read(Map.of("print", "true", "labels", labels), Map.of(), null, "here")
                .labels();
    }

    @Test
    void labels_ofAPortAndOfAll_portHasPrecedence() throws Exception {
        LabelSettings labels = of("team=shop, 8081:team=bank 8081:tier=web");

        assertThat(labels.of(80)).containsExactly(new ReportedLabel("team", "shop", "labels"));
        assertThat(labels.of(8081))
                .extracting(ReportedLabel::label)
                .map(Object::toString)
                .containsExactly("team=bank", "tier=web");
    }

    @Test
    void labels_wrongForm_refusedWithTheText() {
        for (String wrong :
                List.of("team", "Team=shop", "70000:team=shop", "team=" + "x".repeat(64))) {
            assertThatThrownBy(() -> of(wrong)).hasMessageContaining("labels: " + wrong);
        }
    }

    @Test
    void labels_moreThanAServiceMayHave_refused() {
        String many = IntStream.rangeClosed(1, 20)
                .mapToObj(n -> "k" + n + "=v")
                .collect(Collectors.joining(","));

        assertThatThrownBy(() -> of(many + ",8081:other=v"))
                .hasMessageContaining(
                        "labels: 21 labels of one service in --label (expected: at most 20)");
    }
}
