package dev.komainu.central.capacity;

import dev.komainu.central.control.Upsert;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The hourly history of each service with the busiest minute of each hour, kept as long as the
 * store keeps roll-ups of an hour. An hour is stored once, when it is over; after a restart the
 * history continues after the last stored hour. An hour without telemetry has no row: a gap is not
 * a quiet hour.
 *
 * <p>Any thread; {@link #catchUp} of one service by one thread at a time.
 */
final class HourlyHistory {

    /** Delay after which an hour is complete: windows can arrive late, for example from a spool. */
    private static final int LATE_SECONDS = 300;

    /** Hours read from the store at a time: a day's file. */
    private static final int AT_ONCE = 24;

    private final JdbcClient jdbc;
    private final RecordStore store;
    private final Fleet fleet;
    /**
     * First hour not read yet, by service. It prevents that hours without data are read repeatedly.
     */
    private final Map<String, Long> next = new ConcurrentHashMap<>();

    HourlyHistory(JdbcClient jdbc, RecordStore store, Fleet fleet) {
        this.jdbc = jdbc;
        this.store = store;
        this.fleet = fleet;
    }

    /** Stores the complete hours, at most one day of them; returns whether more are left. */
    boolean catchUp(ServiceProfile service, long nowSecond) {
        long end = Math.floorDiv(nowSecond - LATE_SECONDS, (long) HourlyLoad.SECONDS);
        // If the position is in the future, the clock was set back since, and no hour would be
        // stored until it reaches that time again.
        long from = next.compute(
                service.id(),
                (id, known) -> known == null || known > end ? first(service, end) : known);
        if (from >= end) {
            return false;
        }
        long to = Math.min(end, from + AT_ONCE);
        for (HourlyLoad hour : hours(service, from, to)) {
            Upsert.into("capacity_hours")
                    .key("service", service.id())
                    .key("epoch_hour", hour.epochHour())
                    .set("mean_rate", hour.mean())
                    .set("peak_rate", hour.peak())
                    .set("minutes", hour.minutes())
                    .run(jdbc);
        }
        next.put(service.id(), to);
        return to < end;
    }

    /** Returns the hours of one service, oldest first. */
    List<HourlyLoad> hours(String service, long fromHour) {
        return jdbc.sql("select epoch_hour, mean_rate, peak_rate, minutes from capacity_hours "
                        + "where service = ? and epoch_hour >= ? order by epoch_hour")
                .params(service, fromHour)
                .query((row, n) -> new HourlyLoad(
                        row.getLong(1), row.getDouble(2), row.getDouble(3), row.getInt(4)))
                .list();
    }

    /** Deletes the hours that are older than the store keeps hours. */
    void deleteOld(long nowSecond) {
        jdbc.sql("delete from capacity_hours where epoch_hour < ?")
                .param(nowSecond / HourlyLoad.SECONDS - store.kept().hourDays() * 24L)
                .update();
    }

    private long first(ServiceProfile service, long end) {
        long oldest = end - (store.kept().daysInMinutes() + 1) * 24L;
        long firstSeen = Math.floorDiv(service.firstSeenMicros(), HourlyLoad.SECONDS * 1_000_000L);
        return jdbc.sql(
                        "select max(epoch_hour) from capacity_hours where service = ? and epoch_hour < ?")
                .params(service.id(), end)
                .query((row, n) -> row.getObject(1, Long.class))
                .optional()
                .map(last -> Math.max(last + 1, oldest))
                .orElse(Math.max(firstSeen, oldest));
    }

    private List<HourlyLoad> hours(ServiceProfile service, long fromHour, long toHour) {
        List<String> names = List.copyOf(fleet.names(service.id()));
        TimeRange range = new TimeRange(
                fromHour * HourlyLoad.SECONDS * 1_000_000L,
                toHour * HourlyLoad.SECONDS * 1_000_000L);
        Duration minute = Duration.ofMinutes(1);
        TreeMap<Long, List<Double>> rates = new TreeMap<>();
        for (WindowStep<ServiceWindow> window : store.serviceWindows(names, range, minute)) {
            add(rates, window, window.total().exchanges().requests());
        }
        if (rates.isEmpty()) {
            for (WindowStep<ProxyWindow> window : store.proxyWindows(names, range, minute)) {
                add(rates, window, window.total().exchanges().requests());
            }
        }
        List<HourlyLoad> hours = new ArrayList<>();
        rates.forEach((hour, minutes) -> hours.add(new HourlyLoad(
                hour,
                minutes.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
                minutes.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
                Math.min(60, minutes.size()))));
        return hours;
    }

    /** Adds a minute. Half a minute of data is sufficient for a rate. */
    private static void add(Map<Long, List<Double>> rates, WindowStep<?> window, long requests) {
        if (window.coveredMicros() >= 30_000_000) {
            rates.computeIfAbsent(
                            Math.floorDiv(window.fromMicros(), HourlyLoad.SECONDS * 1_000_000L),
                            hour -> new ArrayList<>())
                    .add(requests * 1e6 / window.coveredMicros());
        }
    }
}
