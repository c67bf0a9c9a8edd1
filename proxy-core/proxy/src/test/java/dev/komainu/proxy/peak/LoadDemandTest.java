package dev.komainu.proxy.peak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class LoadDemandTest {

    private final LoadDemand demand = new LoadDemand(PeakSettings.DEFAULT);
    private long millis = 1_000_000;

    private SecondReading calm(double arrivals) {
        return new SecondReading(millis, arrivals, 10, 2, 1, 0.05, 1);
    }

    private void add(SecondReading second, int seconds) {
        add(second, seconds, false);
    }

    private void add(SecondReading second, int seconds, boolean armed) {
        for (int i = 0; i < seconds; i++) {
            millis += 1000;
            demand.add(
                    new SecondReading(
                            millis,
                            second.arrivals(),
                            second.reads(),
                            second.readP95Millis(),
                            second.queue(),
                            second.diskBusy(),
                            second.loopDelayMillis()),
                    armed);
        }
    }

    @Test
    void arrivals_twiceTheUsual_pressAfterTwoSeconds_untilThirtyAfterTheirFall() {
        add(calm(500), 60);
        assertThat(demand.usual()).isEqualTo(500);
        add(calm(1000), 1);
        assertThat(demand.isPressed()).isFalse();
        add(calm(1000), 1);
        assertThat(demand.isPressed()).isTrue();
        assertThat(demand.reason()).isEqualTo("arrivals 1000/s, usual 500/s (limit 2.00 times)");
        add(calm(2000), 600);
        assertThat(demand.isPressed()).isTrue();
        add(calm(500), 29);
        assertThat(demand.isPressed()).isTrue();
        add(calm(500), 1);
        assertThat(demand.isPressed()).isFalse();
    }

    /** The reason is written to logs and to the control port, which programs read. */
    @Test
    void reasons_inAPersianLocale_haveAsciiDigits() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.of("fa", "IR"));
        try {
            add(calm(500), 60);
            add(calm(1000), 2);
            assertThat(demand.reason())
                    .isEqualTo("arrivals 1000/s, usual 500/s (limit 2.00 times)");
            add(calm(500), 30);
            assertThat(demand.reason()).isEqualTo("all readings were low for 30 s");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void betweenTheBands_nothingChanges() {
        add(calm(500), 60);
        add(calm(900), 5);
        assertThat(demand.isPressed()).isFalse();
        add(calm(1200), 2);
        assertThat(demand.isPressed()).isTrue();
        add(calm(850), 100);
        assertThat(demand.isPressed()).isTrue();
    }

    @Test
    void beforeTheUsualIsKnown_orBelowFiftyASecond_arrivalsDoNotPress() {
        add(calm(10), 5);
        add(calm(1000), 5);
        assertThat(demand.isPressed()).isFalse();
        LoadDemand small = new LoadDemand(PeakSettings.DEFAULT);
        for (int i = 0; i < 60; i++) {
            small.add(calm(5), false);
        }
        small.add(calm(40), false);
        small.add(calm(40), false);
        assertThat(small.isPressed()).isFalse();
    }

    @Test
    void armed_aQuarterOfTheSurgePressesAtOnce() {
        add(calm(500), 60);
        add(calm(630), 1, false);
        assertThat(demand.isPressed()).isFalse();
        add(calm(630), 1, true);
        assertThat(demand.isPressed()).isTrue();
    }

    @Test
    void slowReads_fullQueue_busyDisk_andLateLoops_pressAlone() {
        for (SecondReading sign : new SecondReading[] {
            new SecondReading(0, 500, 20, 60, 0, 0.1, 1),
            new SecondReading(0, 500, 0, 0, 40, 0.1, 1),
            new SecondReading(0, 500, 20, 5, 0, 0.7, 1),
            new SecondReading(0, 500, 20, 5, 0, 0.1, 25)
        }) {
            LoadDemand each = warmedUp();
            each.add(sign, false);
            assertThat(each.isPressed()).isFalse();
            each.add(sign, false);
            assertThat(each.isPressed()).as(sign.toString()).isTrue();
            assertThat(each.reason()).contains("limit");
        }
        // Two slow reads are too few.
        LoadDemand few = warmedUp();
        few.add(new SecondReading(0, 500, 2, 900, 0, 0.1, 1), false);
        few.add(new SecondReading(0, 500, 2, 900, 0, 0.1, 1), false);
        assertThat(few.isPressed()).isFalse();
    }

    /**
     * Returns a demand after thirty calm seconds: slowness in the first ones results from
     * compilation.
     */
    private LoadDemand warmedUp() {
        LoadDemand demand = new LoadDemand(PeakSettings.DEFAULT);
        for (int i = 0; i < 30; i++) {
            demand.add(new SecondReading(0, 500, 20, 900, 0, 0.1, 900), false);
            assertThat(demand.isPressed()).isFalse();
        }
        return demand;
    }

    @Test
    void idleProxy_learnsNothing_soItsFirstLoadIsNoPeak() {
        add(calm(0), 600);
        add(calm(2), 600);
        add(calm(500), 60);
        assertThat(demand.isPressed()).isFalse();
        assertThat(demand.usual()).isEqualTo(500);
        add(calm(0), 600);
        add(calm(1000), 2);
        assertThat(demand.isPressed()).isTrue();
    }

    /**
     * Pressed by the disk before the usual arrivals are known: the following arrivals do not count
     * as a surge.
     */
    @Test
    void pressedByTheDisk_beforeTheUsualIsKnown_endsThirtyLowSecondsLater() {
        add(calm(5), 3);
        add(new SecondReading(0, 300, 20, 20, 8, 0.9, 1), 2);
        assertThat(demand.isPressed()).isTrue();
        add(calm(300), 29);
        assertThat(demand.isPressed()).isTrue();
        add(calm(300), 1);
        assertThat(demand.isPressed()).isFalse();
    }

    @Test
    void readingBetweenTheBands_delaysTheEnd_butDoesNotRestart() {
        add(calm(500), 60);
        add(new SecondReading(0, 500, 20, 5, 0, 0.1, 25), 2);
        assertThat(demand.isPressed()).isTrue();
        add(calm(500), 20);
        add(new SecondReading(0, 500, 20, 5, 0, 0.1, 15), 5);
        add(calm(500), 9);
        assertThat(demand.isPressed()).isTrue();
        add(calm(500), 1);
        assertThat(demand.isPressed()).isFalse();
    }

    /** Reads that would press the disk keep the peak, although the disk is idle now. */
    @Test
    void readsRequestedAtThePeak_keepIt() {
        add(calm(500), 60);
        add(new SecondReading(0, 500, 200, 20, 8, 0.8, 1), 2);
        assertThat(demand.isPressed()).isTrue();
        add(new SecondReading(0, 500, 0, 0, 0, 0.7, 1), 300);
        assertThat(demand.isPressed()).isTrue();
        add(new SecondReading(0, 500, 0, 0, 0, 0.2, 1), 30);
        assertThat(demand.isPressed()).isFalse();
    }

    @Test
    void lastingNewLevel_isNoPeakForEver() {
        add(calm(500), 600);
        add(calm(1100), 2);
        assertThat(demand.isPressed()).isTrue();
        add(calm(1100), 3 * 3600);
        assertThat(demand.isPressed()).isFalse();
    }
}
