package dev.komainu.central.indices;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The named measurements of one service as they stand at one second. Rules, flowchart and advice
 * look through this window and through nothing else. Cheap to make; any thread.
 */
public final class MeasurementView {

    /** Points of a sparkline. */
    public static final int SPARKLINE = 60;

    private final IndexCatalogue catalogue;
    private final FormulaInputs lens;
    private final long second;
    private final Values values;

    /** The source of a view's values. */
    @FunctionalInterface
    interface Values {
        double of(String index, long end, int over);
    }

    MeasurementView(IndexCatalogue catalogue, FormulaInputs lens, long second) {
        this(
                catalogue,
                lens,
                second,
                (index, end, over) -> Formulas.compute(index, lens, end, over));
    }

    private MeasurementView(
            IndexCatalogue catalogue, FormulaInputs lens, long second, Values values) {
        this.catalogue = catalogue;
        this.lens = lens;
        this.second = second;
        this.values = values;
    }

    /**
     * The same service at the same second, its values from elsewhere: kept ones, or some of them
     * hidden.
     */
    MeasurementView with(Values others) {
        return new MeasurementView(catalogue, lens, second, others);
    }

    /** The newest complete second this view looks at, since the epoch. */
    public long second() {
        return second;
    }

    public String service() {
        return lens.service();
    }

    public Baseline baseline() {
        return lens.baseline();
    }

    public boolean knows(String index) {
        return catalogue.knows(index);
    }

    /** @throws IllegalArgumentException when no index has this name */
    public String unit(String index) {
        return catalogue.definition(index).unit();
    }

    /** @throws IllegalArgumentException when no index has this name */
    public IndexSource source(String index) {
        return catalogue.definition(index).source();
    }

    /** @throws IllegalArgumentException when no index has this name */
    public LocalizedText title(String index) {
        return catalogue.definition(index).title();
    }

    public boolean isProxy() {
        return lens.ring().isProxy();
    }

    /**
     * The index over the seconds up to and including {@code end}; {@code NaN} when nothing could be
     * seen.
     */
    public double at(String index, long end, int over) {
        return values.of(index, end, over);
    }

    public double now(String index, int over) {
        return at(index, second, over);
    }

    /**
     * Whether the monitor itself lost packets in the window: what it says from packets is too low
     * then.
     */
    public boolean isUnderLoss(long end, int over) {
        return lens.isUnderLoss(end, over);
    }

    /** The index over the last {@code seconds}, with what is needed to show it. */
    public IndexReading read(String index, int seconds) {
        IndexDefinition definition = catalogue.definition(index);
        double value = now(index, seconds);
        int present = lens.ring().secondsPresent(second, seconds);
        long samples = index.contains("P50") || index.contains("P95") || index.contains("P99")
                ? lens.ring().responseSamples(second, seconds)
                : present;
        boolean underLoss =
                definition.source() == IndexSource.PACKETS && isUnderLoss(second, seconds);
        return new IndexReading(
                definition,
                seen(value),
                seconds,
                present,
                samples,
                underLoss,
                sparkline(index, SPARKLINE));
    }

    /** One value a second, newest last. */
    public List<@Nullable Double> sparkline(String index, int points) {
        List<@Nullable Double> line = new ArrayList<>(points);
        for (long at = second - points + 1; at <= second; at++) {
            line.add(seen(at(index, at, 1)));
        }
        return line;
    }

    private static @Nullable Double seen(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
