package dev.komainu.organizer.line.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineSettings;
import org.junit.jupiter.api.Test;

class UnreadBytesTest {

    private static final LineSettings SETTINGS = LineSettings.DEFAULT;

    private final UnreadBytes held = new UnreadBytes(SETTINGS);

    @Test
    void windows_fromHalfOn_areSmallUntilAnEighthIsLeft() {
        long half = SETTINGS.heldBytes() / 2;
        long eighth = SETTINGS.heldBytes() / 8;
        assertThat(held.grew(half)).isFalse();
        assertThat(held.window()).isEqualTo(SETTINGS.streamWindowBytes());
        assertThat(held.grew(1)).isTrue();
        assertThat(held.window()).isEqualTo(UnreadBytes.THRIFTY_WINDOW);
        assertThat(held.grew(eighth - half)).isFalse();
        assertThat(held.grew(-1)).isTrue();
        assertThat(held.bytes()).isEqualTo(eighth);
        assertThat(held.window()).isEqualTo(SETTINGS.streamWindowBytes());
    }
}
