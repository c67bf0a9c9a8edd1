package dev.komainu.central.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.state.ServiceState;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of verdicts on noisy minutes, over many seeds: random variation must not look like an
 * improvement, and the reverse.
 */
class ComparisonTest {

    private static final int SEEDS = 100;
    private static final int BASELINE = 300;
    private static final int AFTER = 120;

    @Test
    void comparedIndices_areAllInTheCatalogue() {
        IndexCatalogue catalogue = new IndexCatalogue();

        assertThat(ComparedIndex.ALL)
                .allSatisfy(each -> assertThat(catalogue.contains(each.index()))
                        .as(each.index())
                        .isTrue());
    }

    @ParameterizedTest
    @ValueSource(doubles = {5, 40, 900})
    void uselessChange_onNoisyEqualLoad_isUnchanged(double load) {
        long unchanged = count(
                seed -> compare(seed, new Server(load, 100, 0), new Server(load, 100, 0))
                        .verdict(),
                Verdict.UNCHANGED);

        assertThat(unchanged).isGreaterThanOrEqualTo(SEEDS * 95 / 100);
    }

    @Test
    void halvedResponseTime_isImproved() {
        assertThat(count(
                        seed -> compare(seed, new Server(40, 100, 0), new Server(40, 50, 0))
                                .verdict(),
                        Verdict.IMPROVED))
                .isGreaterThanOrEqualTo(SEEDS * 99 / 100);
    }

    @Test
    void doubledResponseTime_isWorse() {
        assertThat(count(
                        seed -> compare(seed, new Server(40, 100, 0), new Server(40, 200, 0))
                                .verdict(),
                        Verdict.WORSE))
                .isGreaterThanOrEqualTo(SEEDS * 99 / 100);
    }

    @Test
    void halfTheLoad_answeredFaster_isInconclusive() {
        assertThat(count(
                        seed -> compare(seed, new Server(80, 400, 0), new Server(40, 50, 0))
                                .reason(),
                        VerdictReason.LOAD_DIFFERED))
                .isEqualTo(SEEDS);
    }

    @Test
    void twiceTheLoad_answeredTheSame_isInconclusive() {
        assertThat(count(
                        seed -> compare(seed, new Server(40, 100, 0), new Server(80, 100, 0))
                                .verdict(),
                        Verdict.INCONCLUSIVE))
                .isGreaterThanOrEqualTo(SEEDS * 95 / 100);
    }

    /**
     * Requests queued before the kernel do not arrive; without the queue, more arrive and all are
     * served.
     */
    @Test
    void twiceTheLoad_answeredTenTimesFaster_isImproved() {
        assertThat(compare(1, new Server(40, 1_000, 0), new Server(80, 100, 0)))
                .satisfies(
                        it -> assertThat(it.reason()).isEqualTo(VerdictReason.MORE_LOAD_CARRIED));
        assertThat(compare(1, new Server(80, 100, 0), new Server(40, 1_000, 0)).reason())
                .isEqualTo(VerdictReason.LESS_LOAD_SERVED_WORSE);
    }

    /** A proxy repeats the requests that the server did not answer. */
    @Test
    void fewerArriveBecauseNoneIsRepeated_andMoreAreAnswered_isImproved() {
        Stretch before = with("processedPerSecond", 50, new Server(90, 90, 40));

        assertThat(compare(1, before, with("processedPerSecond", 60, new Server(60, 90, 0)))
                        .reason())
                .isEqualTo(VerdictReason.MORE_ANSWERED);
        assertThat(compare(1, before, with("processedPerSecond", 50, new Server(50, 90, 0)))
                        .reason())
                .as("visitors left")
                .isEqualTo(VerdictReason.LOAD_DIFFERED);
        assertThat(compare(
                                1,
                                with("processedPerSecond", 50, new Server(150, 90, 40)),
                                with("processedPerSecond", 60, new Server(60, 90, 0)))
                        .reason())
                .as("arrivals fell by more than the failures")
                .isEqualTo(VerdictReason.LOAD_DIFFERED);
        assertThat(compare(1, before, with("processedPerSecond", 60, new Server(60, 190, 0)))
                        .reason())
                .as("and the served wait longer")
                .isEqualTo(VerdictReason.LOAD_DIFFERED);
    }

    @Test
    void loadThatVaries_isComparedAtEqualLoadOnly() {
        // Before, the load rose to three times the present load, and T_r with it: at equal load
        // nothing changed.
        Comparison it = compare(
                7,
                stretch(
                        new Random(1),
                        BASELINE,
                        second -> second < 150 ? 30 : 90,
                        second -> second < 150 ? 100 : 900,
                        0),
                stretch(new Random(2), AFTER, second -> 30, second -> 100, 0));

        assertThat(it.verdict()).isEqualTo(Verdict.UNCHANGED);
        assertThat(it.matchedBefore()).isBetween(100, 160);
    }

    @Test
    void refusedRequestsGone_isImproved_thoughTheServedWaitLonger() {
        Comparison it = compare(3, new Server(40, 50, 12), new Server(40, 80, 0));

        assertThat(it.verdict()).isEqualTo(Verdict.IMPROVED);
        assertThat(it.reason()).isEqualTo(VerdictReason.FEWER_FAILURES);
    }

    /**
     * A full listen queue empties: the connections of clients that had left are closed now without
     * a response, while all others are served.
     */
    @Test
    void manyRefusedGone_aFewClosedUnanswered_isDecidedByTheirSum() {
        Stretch before = with("noAnswerPerSecond", 0, new Server(40, 2_000, 100));

        assertThat(compare(1, before, with("noAnswerPerSecond", 5, new Server(40, 100, 0)))
                        .verdict())
                .isEqualTo(Verdict.IMPROVED);
        assertThat(compare(1, before, with("noAnswerPerSecond", 5, new Server(90, 100, 0)))
                        .reason())
                .isEqualTo(VerdictReason.MORE_LOAD_CARRIED);
        assertThat(compare(1, before, with("noAnswerPerSecond", 300, new Server(40, 100, 0)))
                        .verdict())
                .isEqualTo(Verdict.WORSE);
    }

    private static Stretch with(String index, int each, Server server) {
        Random random = new Random(9);
        Stretch stretch = stretch(
                random,
                BASELINE,
                second -> server.load(),
                second -> server.millis(),
                server.refused());
        double[] column = new double[BASELINE];
        Arrays.setAll(column, second -> each == 0 ? 0 : poisson(random, each));
        stretch.values().put(index, column);
        return stretch;
    }

    @Test
    void sameFigures_otherState_isDecidedByTheState() {
        Stretch before = stretch(new Random(1), BASELINE, second -> 40, second -> 100, 0);
        Stretch after = stretch(new Random(2), AFTER, second -> 40, second -> 100, 0);

        assertThat(Comparison.of(
                                before,
                                after,
                                ServiceState.SATURATED_MEMORY,
                                ServiceState.NORMAL,
                                1)
                        .reason())
                .isEqualTo(VerdictReason.STATE_NORMAL);
        assertThat(Comparison.of(before, after, ServiceState.NORMAL, ServiceState.SATURATED_CPU, 1)
                        .verdict())
                .isEqualTo(Verdict.WORSE);
    }

    @Test
    void noDataAfterwards_isInconclusive() {
        Stretch before = stretch(new Random(1), BASELINE, second -> 40, second -> 100, 0);
        Stretch silence =
                stretch(new Random(1), AFTER, second -> Double.NaN, second -> Double.NaN, 0);

        assertThat(compare(1, before, silence).reason()).isEqualTo(VerdictReason.NO_DATA);
    }

    @Test
    void tenSeconds_areTooFew() {
        Stretch before = stretch(new Random(1), BASELINE, second -> 40, second -> 100, 0);
        Stretch after = stretch(new Random(2), 10, second -> 40, second -> 10, 0);

        assertThat(compare(1, before, after).reason()).isEqualTo(VerdictReason.TOO_FEW_SAMPLES);
    }

    @Test
    void sameFigures_sameSeed_giveTheSameIntervals() {
        assertThat(compare(5, new Server(40, 100, 0), new Server(40, 50, 0)))
                .isEqualTo(compare(5, new Server(40, 100, 0), new Server(40, 50, 0)));
    }

    @Test
    void interval_containsTheTrueDifference_atItsConfidence() {
        long held = LongStream.range(0, SEEDS)
                .filter(seed -> {
                    Comparison.Row row =
                            row(compare(seed, new Server(40, 100, 0), new Server(40, 130, 0)));
                    return row.low() <= 30 && row.high() >= 30;
                })
                .count();

        // 95 % of independent seconds; neighbouring ones are correlated here, which blocks
        // compensate for the most part.
        assertThat(held).isGreaterThanOrEqualTo(SEEDS * 80 / 100);
    }

    private static Comparison.Row row(Comparison comparison) {
        return comparison.rows().stream()
                .filter(each -> each.index().equals("responseP50Millis"))
                .findFirst()
                .orElseThrow();
    }

    private static <T> long count(Function<Long, T> outcome, T wanted) {
        return LongStream.range(0, SEEDS)
                .filter(seed -> outcome.apply(seed).equals(wanted))
                .count();
    }

    /**
     * A simulated server.
     *
     * @param refused connections refused a second
     */
    private record Server(double load, double millis, double refused) {}

    private static Comparison compare(long seed, Server before, Server after) {
        return compare(
                seed,
                stretch(
                        new Random(seed),
                        BASELINE,
                        second -> before.load(),
                        second -> before.millis(),
                        before.refused()),
                stretch(
                        new Random(~seed),
                        AFTER,
                        second -> after.load(),
                        second -> after.millis(),
                        after.refused()));
    }

    private static Comparison compare(long seed, Stretch before, Stretch after) {
        return Comparison.of(before, after, ServiceState.UNKNOWN, ServiceState.UNKNOWN, seed);
    }

    /**
     * Returns Poisson arrivals and response times whose logarithm varies (a third of it stays from
     * second to second).
     */
    private static Stretch stretch(
            Random random,
            int seconds,
            Function<Integer, Number> load,
            Function<Integer, Number> millis,
            double refused) {
        double[] arrivals = new double[seconds];
        double[] median = new double[seconds];
        double[] tail = new double[seconds];
        double[] processed = new double[seconds];
        double[] lost = new double[seconds];
        double[] errors = new double[seconds];
        double[] idle = new double[seconds];
        double wander = 0;
        for (int i = 0; i < seconds; i++) {
            double mean = load.apply(i).doubleValue();
            wander = 0.35 * wander + 0.25 * random.nextGaussian();
            arrivals[i] = Double.isNaN(mean) ? Double.NaN : poisson(random, mean);
            processed[i] = arrivals[i] - Math.min(arrivals[i], refused);
            lost[i] = refused == 0 ? 0 : poisson(random, refused);
            errors[i] = random.nextInt(20) == 0 ? 1 : 0;
            idle[i] = 0.6 + 0.05 * random.nextGaussian();
            double typical = millis.apply(i).doubleValue() * Math.exp(wander - 0.0356);
            median[i] = arrivals[i] > 0 ? typical : Double.NaN;
            tail[i] = arrivals[i] > 0 ? typical * (2 + 0.5 * random.nextGaussian()) : Double.NaN;
        }
        Map<String, double[]> values = new HashMap<>();
        values.put("responseP50Millis", median);
        values.put("responseP95Millis", tail);
        values.put("processedPerSecond", processed);
        values.put("refusedPerSecond", lost);
        values.put("errorsPerSecond", errors);
        values.put("hostCpuIdleShare", idle);
        return Stretch.of(
                arrivals, Arrays.stream(arrivals).allMatch(Double::isNaN) ? Map.of() : values);
    }

    private static int poisson(Random random, double mean) {
        if (mean > 100) {
            return (int) Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
        }
        double limit = Math.exp(-mean);
        int count = 0;
        for (double product = random.nextDouble();
                product > limit;
                product *= random.nextDouble()) {
            count++;
        }
        return count;
    }
}
