package dev.komainu.proxy.peak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * When in a day this proxy is pressed, learned from the last days.
 *
 * <pre>
 *   onsets of the days:   ·  ··· ·      →  expected: their median; spread: how far four fifths of them lie from it at most
 *
 *        armed ├──────────────────────────────┤        a tenth of a day, and the spread, to both sides
 *          held   ├───────────┤                        lead: twice the spread and a 96th of a day; grace: and a 48th
 *                      ▲ expected
 * </pre>
 *
 * A peak is expected when it came on three fifths of the days that are considered, two at least: of
 * the same weekday when there are three of them, else the last seven. Days on which nothing was
 * measured do not count. Beside it, arrivals by time of day in {@value #BUCKETS} buckets with
 * median and spread over those days, for people. Kept of the last {@value #KEPT_DAYS} days. One
 * thread.
 */
public final class PeakHistory {

    static final int BUCKETS = 288;
    static final int KEPT_DAYS = 28;
    private static final int RECENT_DAYS = 7;
    private static final double SUPPORT = 0.6;
    /** Onsets that belong to one peak lie no farther apart than a twentieth of a day. */
    private static final int GAP = 20;
    /** Onsets of one day that are kept; more is no rhythm. */
    static final int MOST_ONSETS = 24;

    /** A peak of one day, in milliseconds of it. */
    record Onset(long fromMillis, long toMillis) {}

    /** What is known of a day. */
    static final class Day {
        final List<Onset> onsets = new ArrayList<>();
        final double[] sums = new double[BUCKETS];
        final int[] counts = new int[BUCKETS];

        double mean(int bucket) {
            return counts[bucket] == 0 ? Double.NaN : sums[bucket] / counts[bucket];
        }
    }

    /**
     * A usual peak, at its next occasion.
     *
     * @param atMillis when its beginning is expected, since the epoch
     * @param spreadMillis how far its beginnings lay from that
     * @param confidence 0 to 1
     * @param heldFromMillis when it is switched ahead
     * @param heldToMillis until when it is waited for
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
     * Usual arrivals at a time of day.
     *
     * @param spread median distance from the median
     * @param days on which it was measured
     */
    public record Usual(double median, double spread, int days) {}

    /** A usual peak in a day. */
    private record Peak(long atMillis, long spreadMillis, double confidence, long lengthMillis) {}

    private final long dayMillis;
    private final LongUnaryOperator zone;
    private final TreeMap<Long, Day> days = new TreeMap<>();

    /** @param zone by how much days begin earlier than UTC's, at a moment: milliseconds */
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

    private long ofDay(long atMillis) {
        return Math.floorMod(atMillis + zone.applyAsLong(atMillis), dayMillis);
    }

    /**
     * The moment at which clocks here show a time.
     *
     * @param shownMillis days and milliseconds as clocks show them
     * @param aboutMillis a moment near it: summer time may begin or end between them
     */
    private long at(long shownMillis, long aboutMillis) {
        long near = shownMillis - zone.applyAsLong(aboutMillis);
        return shownMillis - zone.applyAsLong(near);
    }

    private Day open(long number) {
        Day day = days.computeIfAbsent(number, n -> new Day());
        while (days.size() > KEPT_DAYS) {
            days.pollFirstEntry();
        }
        return day;
    }

    Map<Long, Day> days() {
        return Collections.unmodifiableMap(days);
    }

    /** As it was written down. */
    void know(long number, Day day) {
        days.put(number, day);
    }

    public void arrivals(long atMillis, double perSecond) {
        Day day = open(day(atMillis));
        int bucket = bucket(atMillis);
        day.sums[bucket] += perSecond;
        day.counts[bucket]++;
    }

    int bucket(long atMillis) {
        return (int) (ofDay(atMillis) * BUCKETS / dayMillis);
    }

    /** The proxy was pressed from one moment to another. */
    public void pressed(long fromMillis, long toMillis) {
        Day day = open(day(fromMillis));
        if (day.onsets.size() < MOST_ONSETS) {
            long from = ofDay(fromMillis);
            day.onsets.add(new Onset(from, from + toMillis - fromMillis));
        }
    }

    /** The days that tell something of this one, without itself. */
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

    /** Usual peaks whose waiting is not over, the next one first. */
    public List<Expected> expected(long nowMillis) {
        long today = day(nowMillis);
        List<Expected> all = new ArrayList<>();
        for (long day = today - 1; day <= today + 1; day++) {
            for (Peak peak : peaks(considered(day))) {
                Expected next = expected(at(day * dayMillis + peak.atMillis, nowMillis), peak);
                if (next.armedToMillis() >= nowMillis) {
                    all.add(next);
                }
            }
        }
        all.sort((one, other) -> Long.compare(one.atMillis(), other.atMillis()));
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
        all.sort((one, other) -> Long.compare(one.fromMillis, other.fromMillis));
        List<Peak> peaks = new ArrayList<>();
        List<Onset> cluster = new ArrayList<>();
        for (Onset onset : all) {
            if (!cluster.isEmpty()
                    && onset.fromMillis - cluster.getLast().fromMillis > dayMillis / GAP) {
                peak(cluster, considered, peaks);
                cluster.clear();
            }
            cluster.add(onset);
        }
        peak(cluster, considered, peaks);
        return peaks;
    }

    private static void peak(List<Onset> cluster, List<Day> considered, List<Peak> into) {
        long came = considered.stream()
                .filter(day -> day.onsets.stream().anyMatch(cluster::contains))
                .count();
        if (came < 2 || came < SUPPORT * considered.size()) {
            return;
        }
        long[] begins = cluster.stream().mapToLong(Onset::fromMillis).sorted().toArray();
        long at = begins[begins.length / 2];
        long[] far = Arrays.stream(begins)
                .map(begin -> Math.abs(begin - at))
                .sorted()
                .toArray();
        long spread = far[(int) Math.ceil(far.length * 0.8) - 1];
        long[] lengths = cluster.stream()
                .mapToLong(onset -> onset.toMillis - onset.fromMillis)
                .sorted()
                .toArray();
        // Two days are a beginning, not a proof.
        double confidence = (double) came / considered.size() * came / (came + 1.0);
        into.add(new Peak(at, spread, confidence, lengths[lengths.length / 2]));
    }

    /** Usual arrivals at this time of day. */
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
        double[] far = Arrays.stream(means)
                .map(mean -> Math.abs(mean - median))
                .sorted()
                .toArray();
        return new Usual(median, far[far.length / 2], means.length);
    }
}
