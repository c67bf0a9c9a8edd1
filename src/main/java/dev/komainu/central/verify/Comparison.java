package dev.komainu.central.verify;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The minutes before a change against those after it, and what follows.
 *
 * <p>Seconds are compared at the same load only ({@link MatchedLoad}). An index improved when its
 * whole 95 % interval lies beyond what is negligible (5 % of what was, or the index's floor), got
 * worse by the same rule, and is otherwise unchanged; where the interval is wider than half of the
 * value before, there is no verdict. For the whole, failures decide first (the sum of all kinds),
 * then waiting times, then the state model; the host's reserves are shown and decide nothing. Where
 * the load differed there is one exception: a service that serves more requests better has
 * improved, whatever it would have done at the old load, and a service that serves fewer requests
 * worse got worse.
 *
 * @param loadBefore mean requests a second
 * @param matchedBefore seconds compared
 * @param usableBefore seconds that counted at all
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

    /** Differences of a twentieth mean nothing to anybody. */
    static final double NEGLIGIBLE_SHARE = 0.05;

    /** An interval wider than half of what was, to either side, tells nothing. */
    static final double NOISE_SHARE = 0.5;

    /** Seconds at the same load on each side, at least. */
    static final int LEAST_SECONDS = 15;

    /** Requests on each side, at least. */
    static final int LEAST_REQUESTS = 30;

    /** When fewer of the seconds after the change find their like, the load differed. */
    static final double LEAST_MATCHED_SHARE = 0.5;

    public Comparison {
        rows = List.copyOf(rows);
    }

    /**
     * One index.
     *
     * @param change relative, such as -0.5 for halved; absent when it was 0 before
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

    /** A run that ends without figures. */
    public static Comparison none(VerdictReason reason, ServiceState before, ServiceState after) {
        return new Comparison(
                Verdict.INCONCLUSIVE, reason, null, null, 0, 0, 0, 0, before, after, List.of());
    }

    /**
     * @param stateBefore what the state model said when the change was made
     * @param stateAfter what it says at the end
     * @param seed the same one gives the same intervals
     */
    public static Comparison of(
            Stretch before,
            Stretch after,
            ServiceState stateBefore,
            ServiceState stateAfter,
            long seed) {
        MatchedLoad match = MatchedLoad.of(before, after);
        boolean enough = seen(before) && seen(after);
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

    private static boolean seen(Stretch stretch) {
        return stretch.seconds() >= LEAST_SECONDS
                && stretch.meanLoad() * stretch.seconds() >= LEAST_REQUESTS;
    }

    private static List<Row> rows(MatchedLoad match, Stretch before, Stretch after, long seed) {
        List<Row> rows = new ArrayList<>();
        for (ComparedIndex judged : ComparedIndex.ALL) {
            double[] one = column(before.values(), judged.index());
            double[] other = column(after.values(), judged.index());
            BlockBootstrap.Difference difference = one.length == 0 || other.length == 0
                    ? null
                    : new BlockBootstrap(match, one, other).difference(seed);
            if (difference != null) {
                rows.add(row(judged, difference));
            }
        }
        return rows;
    }

    private static double[] column(Map<String, double[]> values, String index) {
        return values.getOrDefault(index, new double[0]);
    }

    private static Row row(ComparedIndex judged, BlockBootstrap.Difference it) {
        double negligible = judged.negligible(it.before());
        boolean less = judged.better() == ComparedIndex.Better.LESS;
        double upper = judged.turned(less ? it.high() : it.low());
        double lower = judged.turned(less ? it.low() : it.high());
        Verdict verdict;
        if (upper < -negligible) {
            verdict = Verdict.IMPROVED;
        } else if (lower > negligible) {
            verdict = Verdict.WORSE;
        } else {
            double noise = (it.high() - it.low()) / 2;
            boolean tells = noise <= Math.max(judged.floor(), NOISE_SHARE * Math.abs(it.before()));
            verdict = tells ? Verdict.UNCHANGED : Verdict.INCONCLUSIVE;
        }
        Double change = it.before() == 0
                ? null
                : Double.valueOf((it.after() - it.before()) / Math.abs(it.before()));
        return new Row(
                judged.index(),
                judged.better().name().toLowerCase(Locale.ROOT),
                judged.group().name().toLowerCase(Locale.ROOT),
                it.before(),
                it.after(),
                change,
                it.low(),
                it.high(),
                verdict,
                it.secondsBefore(),
                it.secondsAfter());
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
            // Requests that were not answered before are counted among the times only now: those
            // may look longer.
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
        if (isTroubled(stateBefore) && stateAfter == ServiceState.NORMAL) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.STATE_NORMAL);
        }
        if (stateBefore == ServiceState.NORMAL && isTroubled(stateAfter)) {
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

    /** {@code processedPerSecond} follows the load by itself and is no witness here. */
    private static Outcome atOtherLoad(List<Row> rows, double loadBefore, double loadAfter) {
        List<Row> witnesses = rows.stream()
                .filter(row -> !row.group().equals("resources")
                        && !row.index().equals("processedPerSecond"))
                .toList();
        Verdict failures = failures(witnesses);
        boolean better = failures == Verdict.IMPROVED
                || has(witnesses, ComparedIndex.Group.TIMES, Verdict.IMPROVED);
        boolean worse = failures == Verdict.WORSE
                || failures == Verdict.INCONCLUSIVE
                || has(witnesses, ComparedIndex.Group.TIMES, Verdict.WORSE);
        if (loadAfter > loadBefore && better && !worse) {
            return new Outcome(Verdict.IMPROVED, VerdictReason.MORE_LOAD_CARRIED);
        }
        if (loadAfter < loadBefore && worse && !better) {
            return new Outcome(Verdict.WORSE, VerdictReason.LESS_LOAD_SERVED_WORSE);
        }
        return new Outcome(Verdict.INCONCLUSIVE, VerdictReason.LOAD_DIFFERED);
    }

    /**
     * All kinds of failures together. Who waited in vain before a change may be let go only after
     * it, so one kind can fall by hundreds and another rise by a few: what surely changed is added
     * up, by the ends of the intervals. Unchanged when nothing surely changed, inconclusive when
     * the sum may be of either sign.
     */
    private static Verdict failures(List<Row> rows) {
        double low = 0;
        double high = 0;
        for (Row row : rows) {
            boolean sure = row.verdict() == Verdict.IMPROVED || row.verdict() == Verdict.WORSE;
            if (sure && row.group().equals("failures")) {
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

    private static boolean has(List<Row> rows, ComparedIndex.Group group, Verdict verdict) {
        String label = group.name().toLowerCase(Locale.ROOT);
        return rows.stream().anyMatch(row -> row.group().equals(label) && row.verdict() == verdict);
    }

    private static boolean isTroubled(ServiceState state) {
        return state != ServiceState.NORMAL && state != ServiceState.UNKNOWN;
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
