package dev.komainu.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EffectiveSettingTest {

    private static String value(@Nullable Object value) {
        return EffectiveSetting.written(value);
    }

    @Test
    void defaults_areWrittenAsTheyAreRead() {
        for (String text : new String[] {"500ms", "90s", "5m", "36h", "7d", "0s"}) {
            assertThat(value(SettingGrammar.duration(text))).isEqualTo(text);
        }
        assertThat(SettingGrammar.duration(value(Duration.ofNanos(1500))))
                .isEqualTo(Duration.ofNanos(1500));
        assertThat(value(67_108_864L)).isEqualTo("67108864");
        for (String text : new String[] {"127.0.0.1:80", "[0:0:0:0:0:0:0:1]:80"}) {
            assertThat(value(SettingGrammar.address(text))).isEqualTo(text);
        }
        assertThat(value(List.of("a", "b"))).isEqualTo("a,b");
        assertThat(value(List.of())).isEqualTo("none");
        assertThat(value(null)).isEqualTo("none");
    }

    @Test
    void line_isYamlWithTheSourceBehind() {
        assertThat(new EffectiveSetting("cache.memory", "64MB", "$KOMAINU_CACHE_MEMORY").line())
                .isEqualTo("cache.memory: 64MB  # $KOMAINU_CACHE_MEMORY");
        assertThat(new EffectiveSetting("node", "", "file").line()).isEqualTo("node: \"\"  # file");
    }
}
