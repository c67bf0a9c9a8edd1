package dev.komainu.settings.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.settings.Setting;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for the texts of settings and for the links of their pages. */
class SettingTextsTest {

    private static List<String> mistakes(String effect, String detail) {
        Setting<String> setting = Setting.text("key", "text").effect(effect).detail(detail);
        return SettingTexts.mistakes(Map.of("key", setting));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Time for which a name is cached, e.g. 5s; 0: none",
                "95th percentile of `disk` reads, above 1.5 s"
            })
    void effect_onePhrase_isNoMistake(String effect) {
        assertThat(mistakes(effect, "")).isEmpty();
        assertThat(mistakes(effect, "See [Pools](#pools).")).isEmpty();
        assertThat(mistakes(effect, "`auto` is the default.")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "time in lower case",
                "Time with a full stop.",
                "Time. And a second sentence",
                "Time in two\nlines",
                "Time with a [link](#pools)",
            })
    void effect_notOnePhrase_isAMistake(String effect) {
        assertThat(mistakes(effect, "")).hasSize(1);
    }

    @Test
    void effect_upTo120Characters() {
        assertThat(mistakes("T".repeat(120), "")).isEmpty();
        assertThat(mistakes("T".repeat(121), "")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no sentence.", "No full stop"})
    void detail_notInSentences_isAMistake(String detail) {
        assertThat(mistakes("Time", detail)).hasSize(1);
    }

    @Test
    void anchors_missingAndAmbiguousOnes_areBroken() {
        assertThat(SettingTexts.brokenAnchors(
                        "# Cache\n[a](#cachememory) [b](#pools)\n#### `cache.memory`\n"))
                .containsExactly("pools");
        assertThat(SettingTexts.brokenAnchors("## Listen\n#### `listen`\n[a](#listen)"))
                .containsExactly("listen");
    }
}
