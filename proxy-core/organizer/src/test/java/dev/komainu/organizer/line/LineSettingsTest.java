package dev.komainu.organizer.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineSettingsTest {

    @Test
    void check_theDefaults_areInOrder() {
        List<String> problems = new ArrayList<>();
        LineSettings.DEFAULT.check(problems);
        assertThat(problems).isEmpty();
    }

    @Test
    void check_manyMistakes_tellsAllAtOnce() {
        List<String> problems = new ArrayList<>();
        Duration never = Duration.ofDays(1);
        new LineSettings(5, 1, 1, 1, 1, 1, "BBR 2", -1, never, never, never, never, never, LineCarrier.TCP)
                .check(problems);
        assertThat(problems)
                .hasSize(13)
                .contains(
                        "lines.connections: 5 (expected: 1 to 4)",
                        "lines.silence: 86400000ms (expected: 100ms to 600000ms)");
    }
}
