package dev.komainu.central.api.service;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the fleet as they were published, and what the next assessment changes in them. Does
 * no I/O; used by one thread.
 *
 * <p>A new state is published with the assessment that found it. Figures are means of ten seconds
 * and differ a little in every second, so they follow at a pace that depends on the number of
 * services:
 *
 * <pre>
 *   seconds between two publications of a row's figures = services / 50, from 1 to 10
 * </pre>
 *
 * Up to 50 services the figures of every row are published each second; with 500, each second those
 * of 50 rows. Members that did not change are left out.
 */
final class RowChanges {

    /** Rows of which figures are published in one second, before the pace slows. */
    private static final int ROWS_A_SECOND = 50;

    /** The figures' own span: a slower pace would leave seconds out of every published mean. */
    private static final int SLOWEST_SECONDS = 10;

    /** Seconds without traffic, in means of ten seconds, that make an idle minute. */
    static final int IDLE_SECONDS = 50;

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private long ticks;

    /**
     * The difference of two assessments.
     *
     * @param rows new rows with all members, and changed rows with their id and changed members
     * @param removed ids of services that are gone
     */
    record Changes(List<Map<String, @Nullable Object>> rows, List<String> removed) {}

    /** A service and the row that was published of it. */
    private static final class Entry {
        private FleetRow row;
        private long publishedTick;
        private int idleTicks;

        private Entry(FleetRow row, long publishedTick) {
            this.row = row;
            this.publishedTick = publishedTick;
        }
    }

    /** Returns the seconds between two publications of a row's figures. */
    static int pace(int services) {
        return Math.clamp(Math.ceilDiv(services, ROWS_A_SECOND), 1, SLOWEST_SECONDS);
    }

    /** Returns the rows as they were published. */
    List<FleetRow> all() {
        return entries.values().stream().map(entry -> entry.row).toList();
    }

    /** Returns what is to be published of the next assessment, one second after the last one. */
    Changes next(List<ServiceAssessment> services) {
        ticks++;
        return new Changes(changedRows(services), removedRows(services));
    }

    private List<Map<String, @Nullable Object>> changedRows(List<ServiceAssessment> services) {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        int pace = pace(services.size());
        for (ServiceAssessment service : services) {
            String id = service.profile().id();
            Entry entry = entries.get(id);
            if (entry == null) {
                FleetRow row = FleetRow.of(service, false);
                // Rows that appear together must not all be due in the same second.
                entry = new Entry(row, ticks - Math.floorMod(id.hashCode(), pace));
                entries.put(id, entry);
                rows.add(row.whole());
                continue;
            }
            entry.idleTicks = hasTraffic(service) ? 0 : entry.idleTicks + 1;
            boolean idle = entry.idleTicks >= IDLE_SECONDS
                    && service.judgement().state() == ServiceState.NORMAL;
            boolean due = ticks - entry.publishedTick >= pace;
            if (due || entry.row.isOutdated(service, idle)) {
                FleetRow row = FleetRow.of(service, idle);
                entry.publishedTick = ticks;
                if (!row.equals(entry.row)) {
                    rows.add(row.since(entry.row));
                    entry.row = row;
                }
            }
        }
        return rows;
    }

    private static boolean hasTraffic(ServiceAssessment service) {
        ServiceAssessment.Summary summary = service.summary();
        return isSome(summary.arrivalPerSecond())
                || isSome(summary.processedPerSecond())
                || isSome(summary.concurrent());
    }

    private static boolean isSome(@Nullable Double value) {
        return value != null && value > 0;
    }

    private List<String> removedRows(List<ServiceAssessment> services) {
        if (entries.size() == services.size()) {
            return List.of();
        }
        Set<String> present = new HashSet<>();
        services.forEach(service -> present.add(service.profile().id()));
        List<String> removed =
                entries.keySet().stream().filter(id -> !present.contains(id)).toList();
        removed.forEach(entries::remove);
        return removed;
    }
}
