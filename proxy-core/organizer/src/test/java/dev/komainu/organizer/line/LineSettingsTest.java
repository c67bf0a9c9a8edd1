package dev.komainu.organizer.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.WrittenSettings;
import org.junit.jupiter.api.Test;

class LineSettingsTest {

    @Test
    void default_isAsTheDeclarationsSay() {
        LineSettings usual = LineSettings.DEFAULT;
        assertThat(usual.connections()).isEqualTo(4);
        assertThat(usual.streamWindowBytes()).isEqualTo(4 << 20);
        assertThat(usual.connectionWindowBytes()).isEqualTo(16 << 20);
        assertThat(usual.choosesCongestion()).isTrue();
        assertThat(usual.carrier()).isEqualTo(LineCarrier.AUTO);
    }

    @Test
    void read_manyMistakes_reportsAllAtOnce() {
        SettingReader reader = WrittenSettings.reader("""
                line-carrier: udp
                lines: {connections: 5, stream-window: 1, connection-window: 2GB, held: 1, max-streams: 1, congestion: BBR 2,
                  ping-every: 1d, silence: 1d, connect-timeout: 1d, patience: 1d}
                """);
        LineSettings.read(reader);
        assertThat(catchThrowableOfType(SettingMistakesException.class, reader::finish)
                        .mistakes())
                .hasSize(11)
                .contains(
                        "lines.connections: 5 (expected: 1 to 4)",
                        "lines.silence: 1d (expected: 100ms to 10m)");
    }
}
