package dev.komainu.central.verify;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of the minutes before and after a change, with its verdict.
 *
 * <p>Seconds are compared at the same load only ({@link MatchedLoad}). An index improved when its
 * whole 95 % interval lies beyond the negligible difference (5 % of the value before, or the
 * index's floor). It got worse by the same rule, and is otherwise unchanged. When the interval is
 * wider than half of the value before, there is no verdict. For the overall verdict, failures
 * decide first (the sum of all kinds), then response times, then the state model. The host's
 * reserves are shown and decide nothing. When the load differed there are two exceptions: a service
 * that serves more requests better has improved, and a service that serves fewer requests worse got
 * worse. And clients and proxies repeat requests that failed: a service that answers more requests
 * has improved, if the arrivals fell by no more than the failures did.
 *
 * @param loadBefore mean requests a second
 * @param matchedBefore seconds compared
 * @param usableBefore usable seconds before the change
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Comparison(
        Verdict verdict,
        VerdictReason reason,
        @Nullable Double loadBefore,
        @Nullable Double loadAfter,
        int matchedBefore,
        int matchedAfter,
        int usableBefore,
        int usableAfter,
        ServiceState stateBefore,
        ServiceState stateAfter,
        List<Row> rows) {

    /** Relative difference up to which a change is negligible. */
    static final double NEGLIGIBLE_SHARE = 0.05;

    /** Relative width of an interval, to either side, above which there is no verdict. */
    static final double NOISE_SHARE = 0.5;

    /** Fewest seconds at the same load on each side. */
    static final int LEAST_SECONDS = 15;

    /** Fewest requests on each side. */
    static final int LEAST_REQUESTS = 30;

    /**
     * Smallest share of the seconds after the change with a matching load; below it the load
     * differed.
     */
    static final double LEAST_MATCHED_SHARE = 0.5;

    public Comparison {
        rows = List.copyOf(rows);
    }

    /**
     * The comparison of one index.
     *
     * @param change relative change, such as -0.5 for halved; absent when the value before was 0
     * @param low lower end of the 95 % interval of {@code after - before}, in the index's unit
     * @param better {@code less} or {@code more}
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Row(
            String index,
            String better,
            String group,
            double before,
            double after,
            @Nullable Double change,
            double low,
            double high,
            Verdict verdict,
            int secondsBefore,
            int secondsAfter) {}

    /** Returns the result of a run without measured values. */
    public static Comparison none(VerdictReason reason, ServiceState before, ServiceState after) {
        return new Comparison(
                Verdict.INCONCLUSIVE, reason, null, null, 0, 0, 0, 0, before, after, List.of());
    }

    /**
     * Compares two stretches.
     *
     * @param stateBefore state at the time of the change
     * @param stateAfter state at the end of the run
     * @param seed seed of the generator; the same seed gives the same intervals
     */
    public static Comparison of(
            Stretch before,
            Stretch after,
            ServiceState stateBefore,
            ServiceState stateAfter,
            long seed) {
        MatchedLoad match = MatchedLoad.of(before, after);
        boolean enough = isSufficient(before) && isSufficient(after);
        boolean matched = match.secondsBefore() >= LEAST_SECONDS
                && match.secondsAfter() >= LEAST_SECONDS
                && match.secondsAfter() >= LEAST_MATCHED_SHARE * after.seconds();
        List<Row> rows =
                rows(matched ? match : MatchedLoad.regardless(before, after), before, after, seed);
        Outcome outcome;
        if (!enough) {
            outcome = new Outcome(
                    Verdict.INCONCLUSIVE,
                    after.seconds() == 0 ? VerdictReason.NO_DATA : VerdictReason.TOO_FEW_SAMPLES);
        } else if (matched) {
            outcome = atSameLoad(rows, stateBefore, stateAfter);
        } else {
            outcome = atOtherLoad(rows, before.meanLoad(), after.meanLoad());
        }
        return new Comparison(
                outcome.verdict(),
                outcome.reason(),
                finite(before.meanLoad()),
                finite(after.meanLoad()),
                match.secondsBefore(),
                match.secondsAfter(),
                before.seconds(),
                after.seconds(),
                stateBefore,
                stateAfter,
                rows);
    }

    private record Outcome(Verdict verdict, VerdictReason reason) {}

    private static boolean isSufficient(Stretch stretch) {
        return stretch.seconds() >= LEAST_SECONDS
                && stretch.meanLoad() * stretch.seconds() >= LEAST_REQUESTS;
    }

    private static List<Row> rows(MatchedLoad match, Stretch before, Stretch after, long seed) {
        List<Row> rows = new ArrayList<>();
        for (ComparedIndex index : ComparedIndex.ALL) {
            double[] valuesBefore = column(before.values(), index.index());
            double[] valuesAfter = column(after.values(), index.index());
            BlockBootstrap.Difference difference =
                    valuesBefore.length == 0 || valuesAfter.length == 0
                            ? null
                            : new BlockBootstrap(match, valuesBefore, valuesAfter).difference(seed);
            if (difference != null) {
                rows.add(row(index, difference));
            }
        }
        return rows;
    }

    private static double[] column(Map<String, double[]> values, String index) {
        return values.getOrDefault(index, new double[0]);
    }

    private static Row row(ComparedIndex index, BlockBootstrap.Difference difference) {
        double negligible = index.negligible(difference.before());
        boolean less = index.better() == ComparedIndex.Better.LESS;
        double upper = index.turned(less ? difference.high() : difference.low());
        double lower = index.turned(less ? difference.low() : difference.high());
        Verdict verdict;
        if (upper < -negligible) {
            verdict = Verdict.IMPROVED;
        } else if (lower > negligible) {
            verdict = Verdict.WORSE;
        } else {
            double noise = (difference.high() - difference.low()) / 2;
            boolean conclusive =
                    noise <= Math.max(index.floor(), NOISE_SHARE * Math.abs(difference.before()));
            verdict = conclusive ? Verdict.UNCHANGED : Verdict.INCONCLUSIVE;
        }
        Double change = difference.before() == 0
                ? null
                : Double.valueOf(
                        (difference.after() - difference.before()) / Math.abs(difference.before()));
        return new Row(
                index.index(),
                index.better().name().toLowerCase(Locale.ROOT),
                index.group().name().toLowerCase(Locale.ROOT),
                difference.before(),
                difference.after(),
                change,
                difference.low(),
                difference.high(),
                verdict,
                difference.secondsBefore(),
                difference.secondsAfter());
    }

    private static Outcome atSameLoad(
            List<Row> rows, ServiceState stateBefore, ServiceState stateAfter) {
        Verdict failures = failures(rows);
        if (failures == Verdict.WORSE) {
            return new Outcome(Verdict.WORSE, VerdictReason.MORE_FAILURES);
        }
        if (failures == Verdict.INCONCLUSIVE) {
            return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.MIXED);
        }
        if (failures == Verdict.IMPROVED) {
            // Requests without a response before the change now have a response time, so that times
            // can look longer.
            return new Outcome(Verdict.IMPROVED, VerdictReason.FEWER_FAILURES);
        }
        boolean faster = has(rows, ComparedIndex.Group.TIMES, Verdict.IMPROVED);
        boolean slower = has(rows, ComparedIndex.Group.TIMES, Verdict.WORSE);
        if (faster && slower) {
            return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.MIXED);
        }
        if (faster) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.FASTER);
        }
        if (slower) {
            return new Outcome(Verdict.WORSE, VerdictReason.SLOWER);
        }
        if (isAbnormal(stateBefore) && stateAfter == ServiceState.NORMAL) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.STATE_NORMAL);
        }
        if (stateBefore == ServiceState.NORMAL && isAbnormal(stateAfter)) {
            return new Outcome(Verdict.WORSE, VerdictReason.STATE_WORSE);
        }
        List<Row> times =
                rows.stream().filter(row -> row.group().equals("times")).toList();
        if (times.isEmpty()) {
            return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.TOO_FEW_SAMPLES);
        }
        if (times.stream().allMatch(row -> row.verdict() == Verdict.INCONCLUSIVE)) {
            return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.TOO_NOISY);
        }
        return new Outcome(Verdict.UNCHANGED, VerdictReason.NO_DIFFERENCE);
    }

    /**
     * Returns the outcome when the load differed. {@code processedPerSecond} depends on the load
     * and is not considered here.
     */
    private static Outcome atOtherLoad(List<Row> rows, double loadBefore, double loadAfter) {
        List<Row> relevant = rows.stream()
                .filter(row -> !row.group().equals("resources")
                        && !row.index().equals("processedPerSecond"))
                .toList();
        Verdict failures = failures(relevant);
        boolean better = failures == Verdict.IMPROVED
                || has(relevant, ComparedIndex.Group.TIMES, Verdict.IMPROVED);
        boolean worse = failures == Verdict.WORSE
                || failures == Verdict.INCONCLUSIVE
                || has(relevant, ComparedIndex.Group.TIMES, Verdict.WORSE);
        if (loadAfter > loadBefore && better && !worse) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.MORE_LOAD_CARRIED);
        }
        if (loadAfter < loadBefore && worse && !better) {
            return new Outcome(Verdict.WORSE, VerdictReason.LESS_LOAD_SERVED_WORSE);
        }
        boolean answersMore = rows.stream()
                .anyMatch(row -> row.index().equals("processedPerSecond")
                        && row.verdict() == Verdict.IMPROVED);
        if (failures == Verdict.IMPROVED
                && !worse
                && answersMore
                && loadBefore - loadAfter <= failuresGone(relevant)) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.MORE_ANSWERED);
        }
        return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.LOAD_DIFFERED);
    }

    /**
     * Returns the verdict on all kinds of failures together. A client that waited without success
     * before a change can be refused after it, so one kind can fall by hundreds while another rises
     * by a few. Significant changes are added, by the ends of their intervals. The verdict is
     * unchanged when no change is significant, and inconclusive when the sum can have either sign.
     */
    private static Verdict failures(List<Row> rows) {
        double low = 0;
        double high = 0;
        for (Row row : rows) {
            boolean significant =
                    row.verdict() == Verdict.IMPROVED || row.verdict() == Verdict.WORSE;
            if (significant && row.group().equals("failures")) {
                boolean less = row.better().equals("less");
                low += less ? row.low() : -row.high();
                high += less ? row.high() : -row.low();
            }
        }
        if (low == 0 && high == 0) {
            return Verdict.UNCHANGED;
        }
        return high < 0 ? Verdict.IMPROVED : low > 0 ? Verdict.WORSE : Verdict.INCONCLUSIVE;
    }

    /** Returns how many fewer requests a second fail, of the kinds that changed significantly. */
    private static double failuresGone(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.group().equals("failures")
                        && (row.verdict() == Verdict.IMPROVED || row.verdict() == Verdict.WORSE))
                .mapToDouble(row -> row.before() - row.after())
                .sum();
    }

    private static boolean has(List<Row> rows, ComparedIndex.Group group, Verdict verdict) {
        String label = group.name().toLowerCase(Locale.ROOT);
        return rows.stream().anyMatch(row -> row.group().equals(label) && row.verdict() == verdict);
    }

    private static boolean isAbnormal(ServiceState state) {
        return state != ServiceState.NORMAL && state != ServiceState.UNKNOWN;
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
