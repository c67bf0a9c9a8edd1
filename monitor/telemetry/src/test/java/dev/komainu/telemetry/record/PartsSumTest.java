package dev.komainu.telemetry.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.wire.AnyRecord;
import org.junit.jupiter.api.Test;

class PartsSumTest {

    private final PartsSum sum = new PartsSum();

    @Test
    void take_ofParts_addsCountersTimesGridAndAreas() {
        add(1, PartCounter.ARRIVALS.ordinal(), 1, PartCounter.OPEN_MICROS.ordinal(), 250_000);
        add(2, PartCounter.ARRIVALS.ordinal(), 2, PartCounter.OPEN_MICROS.ordinal(), 500_000);
        add(3, PartTimes.RESPONSE.cellOf(1_000), 2, ConnectionParts.gridCellOf(10, 1_000), 1);

        ServiceWindow window = sum.take("s", 5_000_000, 1_000_000);

        assertThat(window.connections().arrivals()).isEqualTo(3);
        assertThat(window.concurrency().concurrentMean()).isEqualTo(0.75);
        assertThat(window.times().response().count()).isEqualTo(2);
        assertThat(window.times().responseByTransfer().cells())
                .containsExactly(new TimesGrid.Cell(8, 24, 1));
    }

    private void add(long key, int firstCell, long first, int secondCell, long second) {
        ConnectionParts.Builder parts = new ConnectionParts.Builder();
        parts.part(key, 2);
        parts.cell(firstCell, first);
        parts.cell(secondCell, second);
        parts.steps(0);
        parts.build().read(sum);
    }

    @Test
    void concurrentMax_ofConnectionsOneAfterTheOther_isNotTheSum() {
        addSteps(1, 0, 100, true, 200, false);
        addSteps(2, 0, 300, true, 400, false);
        addSteps(3, 1, 350, false, 900, true);

        assertThat(sum.take("s", 0, 1_000_000).concurrency().concurrentMax()).isEqualTo(2);
    }

    private void addSteps(long key, long openAtBegin, int one, boolean up, int two, boolean then) {
        ConnectionParts.Builder parts = new ConnectionParts.Builder();
        parts.part(key, 1);
        parts.cell(PartCounter.OPEN_AT_BEGIN.ordinal(), openAtBegin);
        parts.steps(2);
        parts.step(one, up);
        parts.step(two, then);
        parts.build().read(sum);
    }

    @Test
    void take_ofAWholeWindow_givesTheSameWindow() {
        ServiceWindow window = sum.take("s", 0, 1_000_000);
        for (long seed = 0; seed < 50; seed++) {
            sum.share(AnyWindow.of(seed), 1);
            sum.source(AnyWindow.of(seed));

            window = sum.take("s", 7_000_000, 1_000_000);

            assertThat(window).isEqualTo(AnyWindow.of(seed));
        }
        assertThat(window.connections().arrivals()).isPositive();
    }

    /** A window whose counters are plausible; distributions are random. */
    private static final class AnyWindow {
        static ServiceWindow of(long seed) {
            AnyRecord any = new AnyRecord(seed);
            long n = seed + 1;
            DirectionTotals totals = new DirectionTotals(n, n + 1, n + 2, n + 3, n + 4, n + 5, n);
            return new ServiceWindow(
                    "s",
                    7_000_000,
                    1_000_000,
                    new ServiceWindow.Connections(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6),
                    new ServiceWindow.Exchanges(n, n + 1, n + 2),
                    new ServiceWindow.Concurrency(n / 8.0, n, n / 4.0),
                    new ServiceWindow.Packets(totals, totals, n, n + 7, n + 8, n + 9),
                    new ServiceWindow.Times(
                            any.distribution(),
                            any.distribution(),
                            any.distribution(),
                            new ServiceWindow.RoundTrips(
                                    any.distribution(),
                                    any.distribution(),
                                    any.distribution(),
                                    any.distribution()),
                            grid(n)),
                    new Failures(n, n + 1, n + 2, n + 3, n + 4, n + 5),
                    new ClientPaths(n, n + 1, any.distribution(), any.distribution()));
        }

        private static TimesGrid grid(long n) {
            TimesGrid.Recorder grid = new TimesGrid.Recorder();
            grid.record(n * 10, n * 100);
            grid.record(n * 10, n);
            return grid.take();
        }
    }

    @Test
    void share_ofManySmallCounts_keepsTheShareOfTheTotal() {
        BucketCounts counts = BucketCounts.take();
        for (int bucket = 0; bucket < 1_000; bucket++) {
            counts.add(bucket, 1);
        }
        Distribution thin = Distribution.of(counts);
        counts.release();
        ServiceWindow none = sum.take("s", 0, 1_000_000);
        ServiceWindow window = new ServiceWindow(
                "s",
                0,
                1_000_000,
                none.connections(),
                none.exchanges(),
                none.concurrency(),
                none.packets(),
                new ServiceWindow.Times(thin, thin, thin),
                none.failures(),
                none.clientPaths());

        sum.share(window, 0.3);

        assertThat(sum.take("s", 0, 1_000_000).times().response().count()).isBetween(299L, 301L);
    }

    @Test
    void cell_ofACounterThatThisVersionDoesNotKnow_isLeftOut() {
        add(1, PartCounter.COUNT, 5, 63, 5);

        assertThat(sum.take("s", 0, 1_000_000).connections().arrivals()).isZero();
    }
}
