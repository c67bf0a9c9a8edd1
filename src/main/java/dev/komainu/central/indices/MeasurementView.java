package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.OtherUse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The named measurements of one service at one second. Rules, flowchart and advice read
 * measurements only through this view. Cheap to create; any thread.
 */
public final class MeasurementView {

    /** Number of points of a sparkline. */
    public static final int SPARKLINE = 60;

    private final IndexCatalogue catalogue;
    private final FormulaInputs inputs;
    private final long second;
    private final Values values;
    private final boolean readable;
    private final long computedHostSecond;

    /** The source of a view's values. */
    @FunctionalInterface
    public interface Values {

        /**
         * Returns the index over the seconds up to and including {@code end}; {@code NaN} when
         * nothing was observed.
         */
        double of(String index, long end, int over);
    }

    MeasurementView(IndexCatalogue catalogue, FormulaInputs inputs, long second) {
        this(
                catalogue,
                inputs,
                second,
                (index, end, over) -> Formulas.compute(index, inputs, end, over),
                true,
                Long.MIN_VALUE);
    }

    private MeasurementView(
            IndexCatalogue catalogue,
            FormulaInputs inputs,
            long second,
            Values values,
            boolean readable,
            long computedHostSecond) {
        this.catalogue = catalogue;
        this.inputs = inputs;
        this.second = second;
        this.values = values;
        this.readable = readable;
        this.computedHostSecond = computedHostSecond;
    }

    /**
     * Returns a view of the same service at the same second with other values: stored values, or
     * some values hidden.
     */
    MeasurementView with(Values otherValues) {
        return new MeasurementView(
                catalogue, inputs, second, otherValues, readable, computedHostSecond);
    }

    /**
     * Returns a view of the same measurements whose windows are no longer than this, so that they
     * do not reach back before an event.
     *
     * @param mostSeconds 1 or more
     */
    public MeasurementView within(int mostSeconds) {
        return with((index, end, over) -> at(index, end, Math.min(over, mostSeconds)));
    }

    /**
     * Returns a view of values that were computed before. It has no readings: evidence from it
     * contains no values. For judging the same measurements many times.
     *
     * @param hostSecond result of {@link #hostSecond}
     */
    public static MeasurementView ofComputed(
            IndexCatalogue catalogue, String service, long second, long hostSecond, Values values) {
        FormulaInputs none = new FormulaInputs(
                service, ServiceRing.NO_DATA, null, null, Baseline.UNKNOWN, ServerLimits.UNKNOWN);
        return new MeasurementView(catalogue, none, second, values, false, hostSecond);
    }

    /** Returns the newest complete second of this view, in seconds since the epoch. */
    public long second() {
        return second;
    }

    /**
     * Returns the newest second, up to this view's, that a sample of the host describes;
     * {@link Long#MIN_VALUE} when none does. Later values are those of this second.
     */
    public long hostSecond() {
        if (!readable) {
            return computedHostSecond;
        }
        HostRing host = inputs.host();
        return host == null ? Long.MIN_VALUE : Math.min(second, host.newestSecond());
    }

    /**
     * Returns a sentence about the other program that used most CPU time, as the newest sample of
     * the host names it; null when no agent names one.
     */
    public @Nullable LocalizedText busiestOther() {
        HostRing host = inputs.host();
        HostSample sample = host == null ? null : host.newest();
        if (sample == null) {
            return null;
        }
        for (HostSample.ServerProcesses server : sample.servers()) {
            OtherUse others = server.details().others();
            if (server.service().equals(inputs.service()) && others != null) {
                return others.name() == null ? null : OtherPrograms.busiest(others);
            }
        }
        return null;
    }

    /**
     * Returns the parts of the host that the newest sample shows at fault, the most serious kind
     * first.
     */
    public List<PartFault> partFaults() {
        HostRing host = inputs.host();
        return host == null ? List.of() : host.faults();
    }

    public String service() {
        return inputs.service();
    }

    public Baseline baseline() {
        return inputs.baseline();
    }

    public boolean hasIndex(String index) {
        return catalogue.contains(index);
    }

    /**
     * Returns the unit of an index.
     *
     * @throws IllegalArgumentException when no index has this name
     */
    public String unit(String index) {
        return catalogue.definition(index).unit();
    }

    /**
     * Returns the source of an index.
     *
     * @throws IllegalArgumentException when no index has this name
     */
    public IndexSource source(String index) {
        return catalogue.definition(index).source();
    }

    /**
     * Returns the title of an index.
     *
     * @throws IllegalArgumentException when no index has this name
     */
    public LocalizedText title(String index) {
        return catalogue.definition(index).title();
    }

    public boolean isProxy() {
        return inputs.ring().isProxy();
    }

    /**
     * Returns the index over the seconds up to and including {@code end}; {@code NaN} when nothing
     * was observed.
     */
    public double at(String index, long end, int over) {
        return values.of(index, end, over);
    }

    /**
     * Returns the index over the newest {@code over} seconds; {@code NaN} when nothing was
     * observed.
     */
    public double now(String index, int over) {
        return at(index, second, over);
    }

    /**
     * Reports whether the monitor itself lost packets in the window: figures from packets are too
     * low then.
     */
    public boolean isUnderLoss(long end, int over) {
        return inputs.isUnderLoss(end, over);
    }

    /** Returns the index over the last {@code seconds}, with the data needed to show it. */
    public IndexReading read(String index, int seconds) {
        IndexDefinition definition = catalogue.definition(index);
        if (!readable) {
            return new IndexReading(definition, null, seconds, 0, 0, false, List.of());
        }
        double value = now(index, seconds);
        int present = inputs.ring().secondsPresent(second, seconds);
        long samples = index.contains("P50") || index.contains("P95") || index.contains("P99")
                ? inputs.ring().responseSamples(second, seconds)
                : present;
        boolean underLoss =
                definition.source() == IndexSource.PACKETS && isUnderLoss(second, seconds);
        return new IndexReading(
                definition,
                orNull(value),
                seconds,
                present,
                samples,
                underLoss,
                sparkline(index, SPARKLINE));
    }

    /** Returns one value a second, newest last; {@code null} for a gap. */
    public List<@Nullable Double> sparkline(String index, int points) {
        List<@Nullable Double> line = new ArrayList<>(points);
        for (long time = second - points + 1; time <= second; time++) {
            line.add(orNull(at(index, time, 1)));
        }
        return line;
    }

    private static @Nullable Double orNull(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
