package dev.komainu.central.indices;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Indices as columns over time: the last quarter of an hour from memory, earlier times from the
 * store. A step without any data is a gap. Any thread.
 */
@Component
public final class SeriesReader {

    private final LiveIndices live;
    private final RecordStore store;
    private final Fleet fleet;
    private final long startSecond;

    public SeriesReader(LiveIndices live, RecordStore store, Fleet fleet, Clock clock) {
        this.live = live;
        this.store = store;
        this.fleet = fleet;
        this.startSecond = clock.millis() / 1_000;
    }

    /**
     * Time series of several indices.
     *
     * @param times start of each step, seconds since the epoch
     * @param columns one list for each index, as long as {@code times}
     * @param underLoss for each step whether the monitor lost packets in it: its figures from
     *     packets are too low then
     */
    public record Columns(
            List<Long> times,
            Map<String, List<@Nullable Double>> columns,
            List<Boolean> underLoss) {}

    /** Steps of the past, from memory or from the store. */
    private interface Past {
        /** Returns an index over the step that begins at a second; {@code NaN} for a gap. */
        double at(String index, long fromSecond);

        boolean isUnderLoss(long fromSecond);
    }

    /**
     * Reports whether a range begins before the seconds in memory, so that it must be read from the
     * store.
     */
    public boolean reachesBack(long fromSecond, long nowSecond) {
        return fromSecond < Math.max(startSecond, nowSecond - LiveIndices.RING_SECONDS);
    }

    /**
     * Returns the next step length in which the store shows everything that it keeps of a range.
     *
     * @param step seconds
     */
    public int storedStep(long fromSecond, long toSecond, int step) {
        TimeRange range = new TimeRange(fromSecond * 1_000_000, toSecond * 1_000_000);
        return (int) store.fittingStep(range, Duration.ofSeconds(step)).toSeconds();
    }

    /**
     * Reads indices over a range of time.
     *
     * @param fromSecond inclusive; moved down to a multiple of the step
     * @param toSecond exclusive; its step may still be incomplete
     * @param step seconds; when the range reaches back, one of {@link #storedStep}
     * @param observedOnly leaves out indices without any value
     */
    public Columns read(
            ServiceProfile service,
            long fromSecond,
            long toSecond,
            int step,
            List<String> names,
            boolean observedOnly,
            long nowSecond) {
        List<Long> times = new ArrayList<>();
        for (long time = Math.floorDiv(fromSecond, (long) step) * step;
                time < toSecond;
                time += step) {
            times.add(time);
        }
        Past source = reachesBack(fromSecond, nowSecond)
                ? stored(service, times.getFirst(), times.getLast() + step, step)
                : remembered(service, toSecond, step);
        Map<String, List<@Nullable Double>> columns = new LinkedHashMap<>();
        for (String name : names) {
            List<@Nullable Double> column = new ArrayList<>(times.size());
            boolean hasValue = false;
            for (long time : times) {
                double value = source.at(name, time);
                boolean finite = Double.isFinite(value);
                hasValue |= finite;
                column.add(finite ? value : null);
            }
            if (hasValue || !observedOnly) {
                columns.put(name, column);
            }
        }
        return new Columns(
                times, columns, times.stream().map(source::isUnderLoss).toList());
    }

    private Past remembered(ServiceProfile service, long toSecond, int step) {
        MeasurementView view = live.view(service.id(), service.node(), service.limits(), toSecond);
        long newest = live.newestSecond(service.id());
        return new Past() {
            @Override
            public double at(String index, long fromSecond) {
                return fromSecond > newest
                        ? Double.NaN
                        : view.at(index, fromSecond + step - 1, step);
            }

            @Override
            public boolean isUnderLoss(long fromSecond) {
                return view.isUnderLoss(fromSecond + step - 1, step);
            }
        };
    }

    private Past stored(ServiceProfile service, long from, long to, int step) {
        String originSide = OriginSide.of(service.id());
        Set<String> originNames =
                fleet.service(originSide) == null ? Set.of() : fleet.names(originSide);
        FormulaInputs inputs = new StepRings(
                        store, service, fleet.names(service.id()), originNames, from, to, step)
                .inputs(service, live.baseline(service.id()));
        return new Past() {
            @Override
            public double at(String index, long fromSecond) {
                return Formulas.compute(index, inputs, fromSecond / step, 1);
            }

            @Override
            public boolean isUnderLoss(long fromSecond) {
                return inputs.isUnderLoss(fromSecond / step, 1);
            }
        };
    }
}
