package dev.komainu.organizer.line;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Round trip of a connection from two measurements, each of which is too long at times. */
class ConnectionFiguresTest {

    private static long way(long kernelMicros, long pingMicros) {
        TransportFigures tcp = new TransportFigures("cubic", kernelMicros, 0, 0, 0, 0, 0);
        return new ConnectionFigures(
                        true, 0, 0, 0, 0, pingMicros, pingMicros, 0, 0, LineCarrier.TCP, tcp)
                .roundTripMicros();
    }

    @Test
    void idle_acknowledgementsAreHeldBack_pingCounts() {
        assertThat(way(20_000, 110)).isEqualTo(110);
    }

    @Test
    void busy_pingWaitsBehindData_kernelCounts() {
        assertThat(way(200_000, 450_000)).isEqualTo(200_000);
    }

    @Test
    void oneIsNotKnown_theOtherCounts() {
        assertThat(way(0, 300)).isEqualTo(300);
        assertThat(way(300, 0)).isEqualTo(300);
        assertThat(way(0, 0)).isZero();
    }
}
