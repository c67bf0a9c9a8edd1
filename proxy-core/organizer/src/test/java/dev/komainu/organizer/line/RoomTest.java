package dev.komainu.organizer.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoomTest {

    private final Room room = new Room();

    @Test
    void room_untilAllOfItIsTaken_isThere() {
        room.took(Room.BYTES - 1);
        assertThat(room.isThere()).isTrue();
        room.took(1);
        assertThat(room.isThere()).isFalse();
    }

    @Test
    void room_thatWasNeverFull_isNotAnnounced() {
        room.took(Room.BYTES - 1);
        assertThat(room.passedOn(Room.BYTES - 1)).isFalse();
    }

    @Test
    void room_thatWasFull_isAnnouncedAtItsHalfAndNotBefore() {
        room.took(Room.BYTES);
        assertThat(room.passedOn(Room.BYTES / 2 - 1)).isFalse();
        assertThat(room.isThere()).isTrue();
        assertThat(room.passedOn(1)).isTrue();
    }

    @Test
    void room_thatWasAnnounced_isAnnouncedAgainOnlyWhenItWasFullAgain() {
        room.took(Room.BYTES);
        assertThat(room.passedOn(Room.BYTES / 2)).isTrue();
        assertThat(room.passedOn(Room.BYTES / 4)).isFalse();
        room.took(Room.BYTES / 2);
        assertThat(room.passedOn(Room.BYTES / 2)).isFalse();
        room.took(Room.BYTES);
        assertThat(room.passedOn(Room.BYTES)).isTrue();
    }

    @Test
    void part_thatCrossesTheMark_countsWhole() {
        room.took(Room.BYTES - 1);
        room.took(Room.BYTES);
        assertThat(room.passedOn(Room.BYTES)).isFalse();
        assertThat(room.isThere()).isTrue();
        assertThat(room.passedOn(Room.BYTES / 2)).isTrue();
    }

    @Test
    void bytes_givenWithoutRoom_areAnnouncedWithTheRest() {
        room.took(Room.BYTES);
        room.took(Room.BYTES);
        assertThat(room.passedOn(Room.BYTES)).isFalse();
        assertThat(room.passedOn(Room.BYTES)).isTrue();
    }
}
