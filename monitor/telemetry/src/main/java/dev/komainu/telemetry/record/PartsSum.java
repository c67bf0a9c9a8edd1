package dev.komainu.telemetry.record;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A sum of connections, or of shares of whole windows, that becomes one window. The sum of all
 * connections of a window is that window. One thread at a time.
 *
 * <p>The highest number of open connections is exact except for connections that are opened and
 * closed in one microsecond: they count as opened first. For a share of a window it is that share
 * of the window's highest number.
 */
public final class PartsSum implements ConnectionParts.Reader {

    private final long[] counters = new long[PartCounter.COUNT];
    private final @Nullable BucketCounts[] times = new @Nullable BucketCounts[PartTimes.COUNT];
    private final TimesGrid.Recorder grid = new TimesGrid.Recorder();
    private long captured;
    private long dropped;
    private long highestOfShares;
    private boolean hasFailures = true;
    private boolean hasClientPaths = true;

    /** Microseconds × 2 + (0: up, 1: down): sorted, opened connections come first. */
    private long[] steps = new long[64];

    private int stepCount;

    @Override
    public boolean part(long key) {
        return true;
    }

    @Override
    public void cell(int cell, long value) {
        if (cell < ConnectionParts.FIRST_TIMES) {
            // A newer sender may have more counters.
            if (cell < counters.length) {
                counters[cell] += value;
            }
        } else if (cell < ConnectionParts.FIRST_GRID) {
            int place = cell - ConnectionParts.FIRST_TIMES;
            times(place / Distribution.BUCKETS).add(place % Distribution.BUCKETS, value);
        } else {
            int place = cell - ConnectionParts.FIRST_GRID;
            grid.add(place / TimesGrid.STEPS, place % TimesGrid.STEPS, value);
        }
    }

    @Override
    public void step(int micros, boolean up) {
        if (stepCount == steps.length) {
            steps = Arrays.copyOf(steps, stepCount * 2);
        }
        steps[stepCount++] = (long) micros << 1 | (up ? 0 : 1);
    }

    /** Adds those values of a window that do not belong to a connection. */
    public void source(ServiceWindow window) {
        captured += window.packets().capturedPackets();
        dropped += window.packets().droppedPackets();
        hasFailures &= window.failures() != null;
        hasClientPaths &= window.clientPaths() != null;
    }

    /**
     * Adds a share of a window, as if each of its connections contributed equally.
     *
     * @param share 0 to 1; with 1 the values are exact
     */
    public void share(ServiceWindow window, double share) {
        for (int i = 0; i < counters.length; i++) {
            counters[i] += Math.round(PartCounter.at(i).of(window) * share);
        }
        for (PartTimes kind : PartTimes.values()) {
            Rounding rounding = new Rounding(share);
            kind.of(window).buckets((bucket, count) -> {
                long rounded = rounding.next(count);
                if (rounded > 0) {
                    times(kind.ordinal()).add(bucket, rounded);
                }
            });
        }
        Rounding rounding = new Rounding(share);
        for (TimesGrid.Cell cell : window.times().responseByTransfer().cells()) {
            long rounded = rounding.next(cell.count());
            if (rounded > 0) {
                grid.add(cell.responseStep(), cell.transferStep(), rounded);
            }
        }
        highestOfShares += Math.round(window.concurrency().concurrentMax() * share);
    }

    /** A rounding that carries its error on, so that many small counts do not all become 0. */
    private static final class Rounding {
        private final double share;
        private double carried;

        Rounding(double share) {
            this.share = share;
        }

        long next(long count) {
            double exact = count * share + carried;
            long rounded = Math.round(exact);
            carried = exact - rounded;
            return rounded;
        }
    }

    private BucketCounts times(int kind) {
        BucketCounts counts = times[kind];
        if (counts == null) {
            counts = BucketCounts.take();
            times[kind] = counts;
        }
        return counts;
    }

    /** Returns the sum as a window, and empties it. */
    public ServiceWindow take(String service, long fromMicros, long lengthMicros) {
        long highest = highest();
        ServiceWindow window = new ServiceWindow(
                service,
                fromMicros,
                lengthMicros,
                new ServiceWindow.Connections(
                        count(PartCounter.ARRIVALS),
                        count(PartCounter.ENDED),
                        count(PartCounter.REFUSED),
                        count(PartCounter.NO_ANSWER),
                        count(PartCounter.RESETS_BY_CLIENT),
                        count(PartCounter.RESETS_BY_SERVER),
                        count(PartCounter.TIMEOUTS)),
                new ServiceWindow.Exchanges(
                        count(PartCounter.REQUESTS),
                        count(PartCounter.RESPONSES),
                        count(PartCounter.ERRORS)),
                new ServiceWindow.Concurrency(
                        (double) count(PartCounter.OPEN_MICROS) / lengthMicros,
                        highest,
                        (double) count(PartCounter.WAITING_MICROS) / lengthMicros),
                new ServiceWindow.Packets(
                        direction(PartCounter.PACKETS_UP),
                        direction(PartCounter.PACKETS_DOWN),
                        count(PartCounter.SYN_REPEATS),
                        captured,
                        dropped,
                        count(PartCounter.UNSEEN_SEGMENTS)),
                new ServiceWindow.Times(
                        distribution(PartTimes.RESPONSE),
                        distribution(PartTimes.TRANSFER),
                        distribution(PartTimes.CONNECTION),
                        new ServiceWindow.RoundTrips(
                                distribution(PartTimes.SERVER_ROUND_TRIP),
                                distribution(PartTimes.CLIENT_ROUND_TRIP),
                                distribution(PartTimes.ACKNOWLEDGEMENT),
                                distribution(PartTimes.THINK)),
                        grid.take()),
                failures(),
                clientPaths());
        clear();
        return window;
    }

    private @Nullable Failures failures() {
        return hasFailures
                ? new Failures(
                        count(PartCounter.RESET_UNANSWERED),
                        count(PartCounter.CLOSED_UNANSWERED),
                        count(PartCounter.DELIBERATE_UNAVAILABLE),
                        count(PartCounter.LOST_PAGES),
                        count(PartCounter.HANDSHAKES),
                        count(PartCounter.FAILED_HANDSHAKES))
                : null;
    }

    private @Nullable ClientPaths clientPaths() {
        return hasClientPaths
                ? new ClientPaths(
                        count(PartCounter.SENDING_CONNECTIONS),
                        count(PartCounter.RETRANSMITTING_CONNECTIONS),
                        distribution(PartTimes.PATH_ROUND_TRIP),
                        distribution(PartTimes.PATH_DELIVERY_RATE))
                : null;
    }

    private void clear() {
        Arrays.fill(counters, 0);
        for (int i = 0; i < times.length; i++) {
            BucketCounts counts = times[i];
            times[i] = null;
            if (counts != null) {
                counts.release();
            }
        }
        stepCount = 0;
        captured = 0;
        dropped = 0;
        highestOfShares = 0;
        hasFailures = true;
        hasClientPaths = true;
    }

    private long highest() {
        Arrays.sort(steps, 0, stepCount);
        long value = count(PartCounter.OPEN_AT_BEGIN);
        long most = value;
        for (int i = 0; i < stepCount; i++) {
            value += (steps[i] & 1) == 0 ? 1 : -1;
            most = Math.max(most, value);
        }
        return most + highestOfShares;
    }

    private long count(PartCounter counter) {
        return counters[counter.ordinal()];
    }

    private Distribution distribution(PartTimes kind) {
        BucketCounts counts = times[kind.ordinal()];
        return counts == null ? Distribution.empty() : Distribution.of(counts);
    }

    /** Returns the seven counters of a direction, which follow each other. */
    private DirectionTotals direction(PartCounter packets) {
        int first = packets.ordinal();
        return new DirectionTotals(
                counters[first],
                counters[first + 1],
                counters[first + 2],
                counters[first + 3],
                counters[first + 4],
                counters[first + 5],
                counters[first + 6]);
    }
}
