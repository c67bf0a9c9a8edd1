package dev.komainu.central.sweep;

import dev.komainu.central.sweep.Curve.Point;
import java.util.List;
import java.util.Locale;

/**
 * The range of factors around 1 with which neither right causes nor false alarms get worse.
 *
 * @param from lowest factor of the range
 * @param to highest factor of the range
 * @param judgement the verdict on the threshold
 * @param moveTo the threshold that the curve speaks for; the one in use unless the verdict is to
 *     move
 */
record Plateau(double from, double to, Judged judgement, double moveTo) {

    /** Least distance of a threshold from both ends of its plateau, as a ratio. */
    private static final double MARGIN = 1.2;

    /** The verdict on a threshold. */
    enum Judged {
        ON_PLATEAU,
        AT_EDGE,
        MOVE,
        NO_PLATEAU,
        /** Its rule never held, with any factor: nothing is known. */
        NOT_EXERCISED,
        /** A threshold of 0 has no multiples. */
        ZERO
    }

    static Plateau of(Curve curve) {
        SweptMark mark = curve.mark();
        List<Double> factors = SweptMark.FACTORS;
        int low = SweptMark.AS_IT_IS;
        int high = SweptMark.AS_IT_IS;
        Point usual = curve.usual();
        while (low > 0 && curve.points().get(low - 1).isAsGoodAs(usual)) {
            low--;
        }
        while (high < factors.size() - 1 && curve.points().get(high + 1).isAsGoodAs(usual)) {
            high++;
        }
        double from = factors.get(low);
        double to = factors.get(high);
        if (mark.mark() == 0) {
            return new Plateau(1, 1, Judged.ZERO, mark.mark());
        }
        if (curve.touched() == 0) {
            return new Plateau(from, to, Judged.NOT_EXERCISED, mark.mark());
        }
        Plateau better = better(curve);
        if (better != null) {
            return new Plateau(from, to, Judged.MOVE, better.moveTo());
        }
        boolean narrowBelow = low > 0 && 1 / from < MARGIN;
        boolean narrowAbove = high < factors.size() - 1 && to < MARGIN;
        if (narrowBelow && narrowAbove) {
            return new Plateau(from, to, Judged.NO_PLATEAU, mark.mark());
        }
        if (narrowBelow || narrowAbove) {
            return new Plateau(from, to, Judged.AT_EDGE, middle(mark, low, high));
        }
        return new Plateau(from, to, Judged.ON_PLATEAU, mark.mark());
    }

    /**
     * Returns the widest range of factors that are better than the threshold in use and as good as
     * each other; null when none is better.
     */
    private static @org.jspecify.annotations.Nullable Plateau better(Curve curve) {
        Point best = curve.usual();
        for (Point point : curve.points()) {
            if (point.isBetterThan(curve.usual())
                    && (point.right() > best.right()
                            || (point.right() == best.right() && point.alarms() < best.alarms()))) {
                best = point;
            }
        }
        if (!best.isBetterThan(curve.usual())) {
            return null;
        }
        Plateau widest = null;
        for (int low = 0; low < curve.points().size(); low++) {
            int high = low;
            while (high < curve.points().size() && curve.points().get(high).isAsGoodAs(best)) {
                high++;
            }
            if (high > low) {
                double from = SweptMark.FACTORS.get(low);
                double to = SweptMark.FACTORS.get(high - 1);
                if (widest == null || to / from > widest.to() / widest.from()) {
                    widest =
                            new Plateau(from, to, Judged.MOVE, middle(curve.mark(), low, high - 1));
                }
                low = high;
            }
        }
        return widest;
    }

    private static double middle(SweptMark mark, int low, int high) {
        double value = Math.sqrt(mark.times(low) * mark.times(high));
        return mark.whole() ? Math.rint(value) : value;
    }

    /** Returns the verdict in words. */
    String words() {
        return switch (judgement) {
            case ON_PLATEAU -> "on plateau";
            case AT_EDGE -> "at its edge: move to " + figure(moveTo);
            case MOVE -> "better elsewhere: move to " + figure(moveTo);
            case NO_PLATEAU -> "no plateau";
            case NOT_EXERCISED -> "not exercised";
            case ZERO -> "0: not scaled";
        };
    }

    /** Returns a number with three significant digits. */
    static String figure(double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        return new java.math.BigDecimal(value)
                .round(new java.math.MathContext(3))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Returns the range of thresholds in words. */
    String range(SweptMark mark) {
        return String.format(
                Locale.ROOT,
                "×%s to ×%s (%s to %s)",
                figure(from),
                figure(to),
                figure(mark.times(SweptMark.FACTORS.indexOf(from))),
                figure(mark.times(SweptMark.FACTORS.indexOf(to))));
    }
}
