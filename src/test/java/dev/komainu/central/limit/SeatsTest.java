package dev.komainu.central.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of the seats of callers. */
class SeatsTest {

    private final Seats seats = new Seats(10, 4, 3);

    @Test
    void take_oneCaller_getsItsShareOnly() {
        for (int i = 0; i < 4; i++) {
            assertThat(seats.take("a", false)).isEqualTo(Seats.Attempt.TAKEN);
        }

        assertThat(seats.take("a", false)).isEqualTo(Seats.Attempt.CALLERS_TAKEN);
        assertThat(seats.take("b", false)).isEqualTo(Seats.Attempt.TAKEN);
        seats.leave("a");
        assertThat(seats.take("a", false)).isEqualTo(Seats.Attempt.TAKEN);
    }

    @Test
    void take_allButTheReserveTaken_onlyAdministratorsGetOne() {
        for (int i = 0; i < 7; i++) {
            assertThat(seats.take("caller " + i, false)).isEqualTo(Seats.Attempt.TAKEN);
        }

        assertThat(seats.take("late", false)).isEqualTo(Seats.Attempt.ALL_TAKEN);
        for (int i = 0; i < 3; i++) {
            assertThat(seats.take("administrator", true)).isEqualTo(Seats.Attempt.TAKEN);
        }
        assertThat(seats.take("other administrator", true)).isEqualTo(Seats.Attempt.ALL_TAKEN);
    }

    @Test
    void leave_last_forgetsTheCaller() {
        seats.take("a", false);
        seats.leave("a");

        assertThat(seats.taken()).isZero();
    }
}
