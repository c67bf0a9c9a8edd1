package dev.komainu.central.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.SourceStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class DropRateTest {

    private final DropRate rate = new DropRate();

    @Test
    void packets_firstReport_isNoLossOfThisMinute() {
        report(1, 10, 5_000);

        assertThat(rate.packets()).isZero();
    }

    @Test
    void packets_ofTheLastMinute_areCountedAndOlderOnesDropped() {
        for (int second = 10; second <= 120; second += 10) {
            report(1, second, second * 7L);
        }
        assertThat(rate.packets()).isEqualTo(420);
        for (int second = 130; second <= 190; second += 10) {
            report(1, second, 840);
        }
        assertThat(rate.packets()).isZero();
    }

    @Test
    void packets_sourceRestarted_countFromNothing() {
        report(1, 10, 5_000);
        report(15, 20, 3);

        assertThat(rate.packets()).isEqualTo(3);
    }

    @Test
    void packets_sameReportAgain_countsOnce() {
        report(1, 10, 0);
        report(1, 20, 9);
        report(1, 20, 9);

        assertThat(rate.packets()).isEqualTo(9);
    }

    private void report(long startedSecond, long second, long count) {
        rate.add(new SourceStatus(
                "n",
                SourceStatus.Kind.AGENT,
                "0.1.0",
                startedSecond * 1_000_000,
                second * 1_000_000,
                new SourceStatus.Use(0, 0),
                List.of(),
                List.of(new SourceStatus.Drops("kernel-drop", count)),
                List.of()));
    }
}
