package dev.komainu.proxy.peak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * The times of day at which this proxy was pressed, learned from the last days.
 *
 * <pre>
 *   onsets of the days:   ·  ··· ·   →  expected: their median; spread: the distance from it within which four fifths of them are
 *
 *   armed   ├──────────────────────────────┤    a tenth of a day, and the spread, to both sides
 *   held           ├───────────┤                lead: twice the spread and a 96th of a day; grace: and a 48th
 *                        ▲ expected
 * </pre>
 *
 * A peak is expected when it occurred on at least three fifths of the considered days, and on two
 * at least. Considered are the days of the same weekday when there are three of them, else the last
 * seven. Days without measurements do not count. For display, arrivals by time of day are stored in
 * {@value #BUCKETS} buckets, with median and spread over those days. The last {@value #KEPT_DAYS}
 * days are kept. One thread.
 */
public final class PeakHistory {

    static final int BUCKETS = 288;
    static final int KEPT_DAYS = 28;
    private static final int RECENT_DAYS = 7;
    private static final double SUPPORT = 0.6;
    /** Maximum distance of onsets that belong to one peak: a twentieth of a day. */
    private static final int ONSET_DISTANCE_PARTS = 20;
    /** Limit of the stored onsets of one day. */
    static final int MAX_ONSETS = 24;

    /** A peak of one day, in milliseconds of the day. */
    record Onset(long fromMillis, long toMillis) {}

    /** The measurements of one day. */
    static final class Day {
        final List<Onset> onsets = new ArrayList<>();
        final double[] sums = new double[BUCKETS];
        final int[] counts = new int[BUCKETS];

        double mean(int bucket) {
            return counts[bucket] == 0 ? Double.NaN : sums[bucket] / counts[bucket];
        }
    }

    /**
     * A usual peak at its next occurrence.
     *
     * @param atMillis expected start, since the epoch
     * @param spreadMillis spread of its starts around the expected one
     * @param confidence 0 to 1
     * @param heldFromMillis time from which the proxy is at peak in advance
     * @param heldToMillis time until which the proxy waits for the peak
     */
    public record Expected(
            long atMillis,
            long spreadMillis,
            double confidence,
            long heldFromMillis,
            long heldToMillis,
            long armedFromMillis,
            long armedToMillis,
            long usualLengthMillis) {}

    /**
     * The usual arrivals at a time of day.
     *
     * @param spread median distance from the median
     * @param days number of days with measurements
     */
    public record Usual(double median, double spread, int days) {}

    /** A usual peak within a day. */
    private record Peak(long atMillis, long spreadMillis, double confidence, long lengthMillis) {}

    private final long dayMillis;
    private final LongUnaryOperator zone;
    private final TreeMap<Long, Day> days = new TreeMap<>();

    /**
     * Creates an empty history.
     *
     * @param zone milliseconds by which days start earlier than those of UTC, at an instant
     */
    public PeakHistory(long dayMillis, LongUnaryOperator zone) {
        this.dayMillis = dayMillis;
        this.zone = zone;
    }

    long dayMillis() {
        return dayMillis;
    }

    long day(long atMillis) {
        return Math.floorDiv(atMillis + zone.applyAsLong(atMillis), dayMillis);
    }

    private long millisOfDay(long atMillis) {
        return Math.floorMod(atMillis + zone.applyAsLong(atMillis), dayMillis);
    }

    /**
     * Returns the instant at which local clocks show a time.
     *
     * @param shownMillis days and milliseconds as shown by local clocks
     * @param aboutMillis an instant near it: summer time may start or end between them
     */
    private long instant(long shownMillis, long aboutMillis) {
        long near = shownMillis - zone.applyAsLong(aboutMillis);
        return shownMillis - zone.applyAsLong(near);
    }

    private Day dayOf(long number) {
        Day day = days.computeIfAbsent(number, n -> new Day());
        while (days.size() > KEPT_DAYS) {
            days.pollFirstEntry();
        }
        return day;
    }

    Map<Long, Day> days() {
        return Collections.unmodifiableMap(days);
    }

    /** Restores a stored day. */
    void restore(long number, Day day) {
        days.put(number, day);
    }

    /** Records the arrivals of one second. */
    public void arrivals(long atMillis, double perSecond) {
        Day day = dayOf(day(atMillis));
        int bucket = bucket(atMillis);
        day.sums[bucket] += perSecond;
        day.counts[bucket]++;
    }

    int bucket(long atMillis) {
        return (int) (millisOfDay(atMillis) * BUCKETS / dayMillis);
    }

    /** Records that the proxy was pressed from one instant to another. */
    public void pressed(long fromMillis, long toMillis) {
        Day day = dayOf(day(fromMillis));
        if (day.onsets.size() < MAX_ONSETS) {
            long from = millisOfDay(fromMillis);
            day.onsets.add(new Onset(from, from + toMillis - fromMillis));
        }
    }

    /** Returns the days used for this day's expectation, without the day itself. */
    private List<Day> considered(long today) {
        List<Day> sameWeekday = new ArrayList<>();
        List<Day> recent = new ArrayList<>();
        for (Map.Entry<Long, Day> entry : days.descendingMap().entrySet()) {
            long age = today - entry.getKey();
            if (age <= 0 || Arrays.stream(entry.getValue().counts).sum() == 0) {
                continue;
            }
            if (recent.size() < RECENT_DAYS) {
                recent.add(entry.getValue());
            }
            if (age % 7 == 0) {
                sameWeekday.add(entry.getValue());
            }
        }
        return sameWeekday.size() >= 3 ? sameWeekday : recent;
    }

    /** Returns the usual peaks that may still occur, the next one first. */
    public List<Expected> expected(long nowMillis) {
        long today = day(nowMillis);
        List<Expected> all = new ArrayList<>();
        for (long day = today - 1; day <= today + 1; day++) {
            for (Peak peak : peaks(considered(day))) {
                Expected next = expected(instant(day * dayMillis + peak.atMillis, nowMillis), peak);
                if (next.armedToMillis() >= nowMillis) {
                    all.add(next);
                }
            }
        }
        all.sort((first, second) -> Long.compare(first.atMillis(), second.atMillis()));
        return all;
    }

    private Expected expected(long atMillis, Peak peak) {
        long spread = peak.spreadMillis;
        return new Expected(
                atMillis,
                spread,
                peak.confidence,
                atMillis - 2 * spread - dayMillis / 96,
                atMillis + 2 * spread + dayMillis / 48,
                atMillis - spread - dayMillis / 10,
                atMillis + spread + dayMillis / 10,
                peak.lengthMillis);
    }

    private List<Peak> peaks(List<Day> considered) {
        List<Onset> all = new ArrayList<>();
        considered.forEach(day -> all.addAll(day.onsets));
        all.sort((first, second) -> Long.compare(first.fromMillis, second.fromMillis));
        List<Peak> peaks = new ArrayList<>();
        List<Onset> cluster = new ArrayList<>();
        for (Onset onset : all) {
            if (!cluster.isEmpty()
                    && onset.fromMillis - cluster.getLast().fromMillis
                            > dayMillis / ONSET_DISTANCE_PARTS) {
                peak(cluster, considered, peaks);
                cluster.clear();
            }
            cluster.add(onset);
        }
        peak(cluster, considered, peaks);
        return peaks;
    }

    private static void peak(List<Onset> cluster, List<Day> considered, List<Peak> into) {
        long occurrences = considered.stream()
                .filter(day -> day.onsets.stream().anyMatch(cluster::contains))
                .count();
        if (occurrences < 2 || occurrences < SUPPORT * considered.size()) {
            return;
        }
        long[] starts = cluster.stream().mapToLong(Onset::fromMillis).sorted().toArray();
        long median = starts[starts.length / 2];
        long[] distances = Arrays.stream(starts)
                .map(start -> Math.abs(start - median))
                .sorted()
                .toArray();
        long spread = distances[(int) Math.ceil(distances.length * 0.8) - 1];
        long[] lengths = cluster.stream()
                .mapToLong(onset -> onset.toMillis - onset.fromMillis)
                .sorted()
                .toArray();
        // Two days are a weak indication.
        double confidence =
                (double) occurrences / considered.size() * occurrences / (occurrences + 1.0);
        into.add(new Peak(median, spread, confidence, lengths[lengths.length / 2]));
    }

    /** Returns the usual arrivals at this time of day. */
    public Usual usual(long atMillis) {
        int bucket = bucket(atMillis);
        double[] means = considered(day(atMillis)).stream()
                .mapToDouble(day -> day.mean(bucket))
                .filter(mean -> !Double.isNaN(mean))
                .sorted()
                .toArray();
        if (means.length == 0) {
            return new Usual(0, 0, 0);
        }
        double median = means[means.length / 2];
        double[] distances = Arrays.stream(means)
                .map(mean -> Math.abs(mean - median))
                .sorted()
                .toArray();
        return new Usual(median, distances[distances.length / 2], means.length);
    }
}
