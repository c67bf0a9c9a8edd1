package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Test that the totals of a group equal those of all its connections together: each connection goes
 * to a random member, and all of them also go to one service that stands for the whole.
 */
class WindowTotalsTest {

    private static final long FIRST = 1_795_700_000L;
    private static final int SECONDS = 60;

    /** Largest relative width of a bucket of two significant digits. */
    private static final double BUCKET = 1.0 / 128;

    /** The connections of one member in one second. */
    private static final class Second {
        private final Histogram response = Distribution.newRecorder();
        private final Histogram transfer = Distribution.newRecorder();
        private long connections;
        private long errors;
        private long unanswered;
        private long refused;
        private long bytes;
        private long packets;
        private long repeats;
        private double concurrent;

        ServiceWindow window(String service, long second) {
            return new ServiceWindow(
                    service,
                    second * 1_000_000,
                    1_000_000,
                    new ServiceWindow.Connections(connections, connections, refused, 0, 0, 0, 0),
                    new ServiceWindow.Exchanges(connections, response.getTotalCount(), errors),
                    new ServiceWindow.Concurrency(concurrent, connections, 0),
                    new ServiceWindow.Packets(
                            new DirectionTotals(packets, bytes, bytes, bytes, 0, 0, 0),
                            new DirectionTotals(packets, bytes, bytes, bytes, repeats, 0, 0),
                            0,
                            packets,
                            0,
                            0),
                    new ServiceWindow.Times(
                            Distribution.of(response),
                            Distribution.of(transfer),
                            Distribution.empty()),
                    new Failures(unanswered, 0, 0, 0, 0, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void totals_ofRandomMembers_equalThoseOfAllConnections(long seed) {
        Random random = new Random(seed);
        int members = 1 + random.nextInt(9);
        LiveIndices live = new LiveIndices(new IndexCatalogue());
        List<Long> micros = new ArrayList<>();
        for (long second = FIRST; second < FIRST + SECONDS; second++) {
            Second whole = new Second();
            List<Second> parts =
                    IntStream.range(0, members).mapToObj(n -> new Second()).toList();
            for (int n = random.nextInt(80); n > 0; n--) {
                add(random, List.of(whole, parts.get(random.nextInt(members))), micros);
            }
            accept(live, "whole:80", second, whole);
            for (int n = 0; n < members; n++) {
                accept(live, "member-" + n + ":80", second, parts.get(n));
            }
        }

        for (int over : new int[] {1, 10, 60}) {
            WindowTotals group = new WindowTotals();
            for (int n = 0; n < members; n++) {
                live.addTo(group, "member-" + n + ":80", FIRST + SECONDS - 1, over);
            }
            WindowTotals whole = new WindowTotals();
            live.addTo(whole, "whole:80", FIRST + SECONDS - 1, over);

            assertThat(group.seconds()).isEqualTo(over * members);
            assertThat(group.connections()).isEqualTo(whole.connections());
            assertThat(group.requests()).isEqualTo(whole.requests());
            assertThat(group.responses()).isEqualTo(whole.responses());
            assertThat(group.failures()).isEqualTo(whole.failures());
            assertThat(group.bytes()).isEqualTo(whole.bytes());
            assertThat(group.packetsDown()).isEqualTo(whole.packetsDown());
            assertThat(group.repeatsDown()).isEqualTo(whole.repeatsDown());
            assertThat(group.concurrentSeconds())
                    .isCloseTo(whole.concurrentSeconds(), within(1e-6));
            assertThat(group.response()).isEqualTo(whole.response());
            assertThat(group.transfer()).isEqualTo(whole.transfer());
        }

        WindowTotals minute = new WindowTotals();
        for (int n = 0; n < members; n++) {
            live.addTo(minute, "member-" + n + ":80", FIRST + SECONDS - 1, SECONDS);
        }
        assertThat(minute.responses()).isEqualTo(micros.size());
        long[] sorted = micros.stream().mapToLong(Long::longValue).sorted().toArray();
        for (double percentile : new double[] {10, 50, 95, 99}) {
            long exact = sorted[Math.max(0, (int) Math.ceil(percentile / 100 * sorted.length) - 1)];
            assertThat((double) minute.response().getValueAtPercentile(percentile))
                    .as("percentile %s of %s", percentile, Arrays.stream(sorted).count())
                    .isCloseTo((double) exact, within(1 + exact * BUCKET));
        }
    }

    private static void add(Random random, List<Second> to, List<Long> micros) {
        long response = (long) (1_000 * Math.exp(2 + 1.5 * random.nextGaussian()));
        long transfer = (long) (100 * Math.exp(random.nextGaussian()));
        long bytes = random.nextInt(100_000);
        int fate = random.nextInt(20);
        for (Second second : to) {
            second.connections++;
            second.bytes += bytes;
            second.packets += 1 + bytes / 1_460;
            second.repeats += fate == 3 ? 1 : 0;
            second.concurrent += 0.25;
            switch (fate) {
                case 0 -> second.refused++;
                case 1 -> second.unanswered++;
                default -> {
                    second.errors += fate == 2 ? 1 : 0;
                    Distribution.record(second.response, response);
                    Distribution.record(second.transfer, transfer);
                }
            }
        }
        if (fate > 1) {
            micros.add(Math.min(response, Distribution.MAX_MICROS));
        }
    }

    private static void accept(LiveIndices live, String service, long second, Second of) {
        live.accept("agent@test", service, of.window(service, second), (second + 2) * 1_000);
    }
}
