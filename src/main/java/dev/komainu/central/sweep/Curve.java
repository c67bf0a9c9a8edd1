package dev.komainu.central.sweep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of one threshold, by factor.
 *
 * @param mark the threshold
 * @param points one for each of {@link SweptMark#FACTORS}
 * @param touched services in which its rule held, or would have held with another factor
 */
record Curve(SweptMark mark, List<Point> points, int touched) {

    /**
     * The result with one factor, over all recordings.
     *
     * @param right faults and traps with the right first state
     * @param faults number of faults and traps
     * @param median seconds to the right state; {@code NaN} without one
     * @param p95 95th percentile of the same
     * @param alarms false alarms
     * @param hours service-hours in which every alarm is a false one
     */
    record Point(int right, int faults, double median, double p95, int alarms, double hours) {

        /**
         * Reports whether neither right causes nor false alarms are worse than those of another.
         */
        boolean isAsGoodAs(Point other) {
            return right >= other.right && alarms <= other.alarms;
        }

        boolean isBetterThan(Point other) {
            return isAsGoodAs(other) && (right > other.right || alarms < other.alarms);
        }

        double alarmsPerHour() {
            return hours > 0 ? alarms / hours : 0;
        }
    }

    /**
     * Returns the curves of all thresholds.
     *
     * @param parts the rows of each recording
     */
    static List<Curve> of(List<SweptMark> marks, List<List<SweepRow>> parts) {
        List<Map<String, SweepRow>> bases = new ArrayList<>();
        Map<Long, List<Changed>> changes = new HashMap<>();
        for (int part = 0; part < parts.size(); part++) {
            Map<String, SweepRow> base = new HashMap<>();
            for (SweepRow row : parts.get(part)) {
                if (row.mark() == SweepRow.BASE) {
                    base.put(row.service(), row);
                } else {
                    changes.computeIfAbsent(key(row.mark(), row.factor()), k -> new ArrayList<>())
                            .add(new Changed(part, row));
                }
            }
            bases.add(base);
        }
        Point usual = point(bases, List.of());
        List<Curve> curves = new ArrayList<>();
        for (int i = 0; i < marks.size(); i++) {
            SweptMark mark = marks.get(i);
            List<Point> points = new ArrayList<>();
            Map<String, Integer> touched = new HashMap<>();
            for (int factor = 0; factor < SweptMark.FACTORS.size(); factor++) {
                List<Changed> changed =
                        changes.getOrDefault(key(i, mark.representative(factor)), List.of());
                changed.forEach(each ->
                        touched.merge(each.part() + " " + each.row().service(), 1, Integer::sum));
                points.add(changed.isEmpty() ? usual : point(bases, changed));
            }
            curves.add(new Curve(mark, points, touched.size()));
        }
        return curves;
    }

    private record Changed(int part, SweepRow row) {}

    private static long key(int mark, int factor) {
        return (long) mark << 8 | factor;
    }

    private static Point point(List<Map<String, SweepRow>> bases, List<Changed> changed) {
        Map<String, SweepVerdict> other = new HashMap<>();
        changed.forEach(each ->
                other.put(each.part() + " " + each.row().service(), each.row().verdict()));
        int right = 0;
        int faults = 0;
        int alarms = 0;
        double hours = 0;
        List<Double> delays = new ArrayList<>();
        for (int part = 0; part < bases.size(); part++) {
            for (SweepRow base : bases.get(part).values()) {
                SweepVerdict verdict =
                        other.getOrDefault(part + " " + base.service(), base.verdict());
                alarms += verdict.alarms();
                hours += base.verdict().hours();
                for (SweepVerdict.OnFault fault : verdict.faults()) {
                    faults++;
                    right += fault.right() ? 1 : 0;
                    if (!Double.isNaN(fault.delay())) {
                        delays.add(fault.delay());
                    }
                }
            }
        }
        Collections.sort(delays);
        return new Point(
                right, faults, percentile(delays, 0.5), percentile(delays, 0.95), alarms, hours);
    }

    private static double percentile(List<Double> sorted, double share) {
        return sorted.isEmpty()
                ? Double.NaN
                : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }

    Point usual() {
        return points.get(SweptMark.AS_IT_IS);
    }
}
