package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.load.browser.CacheIndicator;
import dev.komainu.load.browser.RequestFailure;
import dev.komainu.load.browser.RequestOutcome;
import org.junit.jupiter.api.Test;

class LoadMeasurementsTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void add_serverThatStops_delaysAllRequestsDueMeanwhile() {
        // A hundred a second arrive; the server does not respond from 1 s to 2 s, then to all at
        // once.
        LoadMeasurements measurements =
                new LoadMeasurements(0, LoadPhases.parse("quiet:100x1,stall:100x1"), 1);
        for (int n = 0; n < 200; n++) {
            long wished = n * SECOND / 100;
            measurements.requested(wished, 1, 0);
            long first = wished < SECOND ? wished + 1_000_000 : 2 * SECOND;
            measurements.add(new RequestOutcome.Answered(
                    wished, first, first, 200, 10, CacheIndicator.MISS, true));
        }

        measurements.read(m -> {
            RequestTally stall = m.steps().get(1);
            assertThat(stall.answered()).isEqualTo(100);
            assertThat(stall.responseMicros().getValueAtPercentile(50))
                    .isBetween(480_000L, 520_000L);
            assertThat(m.steps().get(0).responseMicros().getMaxValue()).isLessThan(1_100);
            assertThat(m.slices()).hasSize(2);
        });
        assertThat(measurements.inProgress()).isZero();
    }

    @Test
    void add_failuresAndErrors_areCountedByReason() {
        LoadMeasurements measurements = new LoadMeasurements(0, LoadPhases.parse("10x10"), 5);
        measurements.requested(0, 3, 6_000_000);
        measurements.add(new RequestOutcome.Failed(0, RequestFailure.REFUSED));
        measurements.add(new RequestOutcome.Failed(0, RequestFailure.TIMED_OUT));
        measurements.add(new RequestOutcome.Answered(
                0, 2_000, 3_000, 503, 0, CacheIndicator.UNKNOWN, false));
        measurements.turnedAway(SECOND);

        String text = LoadResultReport.text(measurements);

        assertThat(text).contains("Failed: 1 refused, 1 timedOut, 1 visitors not sent");
        assertThat(text).contains("3 requests were more than 5 ms late");
        measurements.read(m -> assertThat(m.all().errors()).isEqualTo(1));
        assertThat(measurements.inProgress()).isZero();
    }
}
