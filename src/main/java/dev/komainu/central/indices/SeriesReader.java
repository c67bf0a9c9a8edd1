package dev.komainu.central.indices;

import dev.komainu.central.fleet.ServiceProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Indices as columns over time. A step without a single second heard of is a gap. Any thread. */
@Component
public final class SeriesReader {

    private final LiveIndices live;

    public SeriesReader(LiveIndices live) {
        this.live = live;
    }

    /**
     * @param times start of each step, seconds since the epoch
     * @param columns one list for each index, as long as {@code times}
     */
    public record Columns(List<Long> times, Map<String, List<@Nullable Double>> columns) {}

    /**
     * @param fromSecond inclusive; moved down to a multiple of the step
     * @param toSecond exclusive; the step it falls into may still be filling
     * @param onlySeen leaves out indices of which nothing was seen
     */
    public Columns read(
            ServiceProfile service, long fromSecond, long toSecond, int step, List<String> names, boolean onlySeen) {
        List<Long> times = new ArrayList<>();
        for (long at = Math.floorDiv(fromSecond, (long) step) * step; at < toSecond; at += step) {
            times.add(at);
        }
        MeasurementView view = live.view(service.id(), service.node(), service.limits(), toSecond);
        long newest = live.newestSecond(service.id());
        Map<String, List<@Nullable Double>> columns = new LinkedHashMap<>();
        for (String name : names) {
            List<@Nullable Double> column = new ArrayList<>(times.size());
            boolean seen = false;
            for (long at : times) {
                double value = at > newest ? Double.NaN : view.at(name, at + step - 1, step);
                boolean finite = Double.isFinite(value);
                seen |= finite;
                column.add(finite ? value : null);
            }
            if (seen || !onlySeen) {
                columns.put(name, column);
            }
        }
        return new Columns(times, columns);
    }
}
