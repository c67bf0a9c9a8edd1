package dev.komainu.organizer.line.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineSettings;
import org.junit.jupiter.api.Test;

class UnreadBytesTest {

    private static final LineSettings SETTINGS = LineSettings.DEFAULT;

    private final UnreadBytes unread = new UnreadBytes(SETTINGS);

    @Test
    void windows_fromHalfOn_areSmallUntilAnEighthIsLeft() {
        long half = SETTINGS.heldBytes() / 2;
        long eighth = SETTINGS.heldBytes() / 8;
        assertThat(unread.add(half)).isFalse();
        assertThat(unread.window()).isEqualTo(SETTINGS.streamWindowBytes());
        assertThat(unread.add(1)).isTrue();
        assertThat(unread.window()).isEqualTo(UnreadBytes.THRIFTY_WINDOW);
        assertThat(unread.add(eighth - half)).isFalse();
        assertThat(unread.add(-1)).isTrue();
        assertThat(unread.bytes()).isEqualTo(eighth);
        assertThat(unread.window()).isEqualTo(SETTINGS.streamWindowBytes());
    }
}
