package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.load.browser.CacheSign;
import dev.komainu.load.browser.Failure;
import dev.komainu.load.browser.Outcome;
import org.junit.jupiter.api.Test;

class MeasuredTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void told_serverThatStandsStill_isSeenByEverybodyWhoCameMeanwhile() {
        // A hundred a second come; the server answers nobody from 1 s to 2 s, then all at once.
        Measured measured = new Measured(0, Phases.parse("quiet:100x1,stall:100x1"), 1);
        for (int n = 0; n < 200; n++) {
            long wished = n * SECOND / 100;
            measured.wished(wished, 1, 0);
            long first = wished < SECOND ? wished + 1_000_000 : 2 * SECOND;
            measured.told(new Outcome.Answered(wished, first, first, 200, 10, CacheSign.MISS, true));
        }

        measured.show(m -> {
            Tally stall = m.steps().get(1);
            assertThat(stall.answered()).isEqualTo(100);
            assertThat(stall.responseMicros().getValueAtPercentile(50)).isBetween(480_000L, 520_000L);
            assertThat(m.steps().get(0).responseMicros().getMaxValue()).isLessThan(1_100);
            assertThat(m.slices()).hasSize(2);
        });
        assertThat(measured.under()).isZero();
    }

    @Test
    void told_failuresAndErrors_areCountedByReason() {
        Measured measured = new Measured(0, Phases.parse("10x10"), 5);
        measured.wished(0, 3, 6_000_000);
        measured.told(new Outcome.Failed(0, Failure.REFUSED));
        measured.told(new Outcome.Failed(0, Failure.TIMED_OUT));
        measured.told(new Outcome.Answered(0, 2_000, 3_000, 503, 0, CacheSign.UNKNOWN, false));
        measured.turnedAway(SECOND);

        String text = LoadReport.text(measured);

        assertThat(text).contains("Failed: 1 refused, 1 timedOut, 1 visitors not sent");
        assertThat(text).contains("3 wishes were more than 5 ms late");
        measured.show(m -> assertThat(m.all().errors()).isEqualTo(1));
        assertThat(measured.under()).isZero();
    }
}
