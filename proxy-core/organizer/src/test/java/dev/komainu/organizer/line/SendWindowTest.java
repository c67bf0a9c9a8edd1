package dev.komainu.organizer.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendWindowTest {

    private final SendWindow room = new SendWindow();

    @Test
    void room_untilAllOfItIsTaken_isThere() {
        room.took(SendWindow.BYTES - 1);
        assertThat(room.isThere()).isTrue();
        room.took(1);
        assertThat(room.isThere()).isFalse();
    }

    @Test
    void room_thatWasNeverFull_isNotAnnounced() {
        room.took(SendWindow.BYTES - 1);
        assertThat(room.passedOn(SendWindow.BYTES - 1)).isFalse();
    }

    @Test
    void room_thatWasFull_isAnnouncedAtItsHalfAndNotBefore() {
        room.took(SendWindow.BYTES);
        assertThat(room.passedOn(SendWindow.BYTES / 2 - 1)).isFalse();
        assertThat(room.isThere()).isTrue();
        assertThat(room.passedOn(1)).isTrue();
    }

    @Test
    void room_thatWasAnnounced_isAnnouncedAgainOnlyWhenItWasFullAgain() {
        room.took(SendWindow.BYTES);
        assertThat(room.passedOn(SendWindow.BYTES / 2)).isTrue();
        assertThat(room.passedOn(SendWindow.BYTES / 4)).isFalse();
        room.took(SendWindow.BYTES / 2);
        assertThat(room.passedOn(SendWindow.BYTES / 2)).isFalse();
        room.took(SendWindow.BYTES);
        assertThat(room.passedOn(SendWindow.BYTES)).isTrue();
    }

    @Test
    void part_thatCrossesTheMark_countsWhole() {
        room.took(SendWindow.BYTES - 1);
        room.took(SendWindow.BYTES);
        assertThat(room.passedOn(SendWindow.BYTES)).isFalse();
        assertThat(room.isThere()).isTrue();
        assertThat(room.passedOn(SendWindow.BYTES / 2)).isTrue();
    }

    @Test
    void bytes_givenWithoutRoom_areAnnouncedWithTheRest() {
        room.took(SendWindow.BYTES);
        room.took(SendWindow.BYTES);
        assertThat(room.passedOn(SendWindow.BYTES)).isFalse();
        assertThat(room.passedOn(SendWindow.BYTES)).isTrue();
    }
}
