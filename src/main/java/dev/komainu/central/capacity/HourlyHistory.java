package dev.komainu.central.capacity;

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
 * The hourly history of each service, kept for years after its telemetry is deleted. An hour is
 * stored once, when it is over; after a restart the history continues after the last stored hour.
 * An hour without telemetry has no row: a gap is not a quiet hour.
 *
 * <p>Any thread; {@link #catchUp} of one service by one thread at a time.
 */
final class HourlyHistory {

    /** Windows may come late, from a spool too. */
    private static final int LATE_SECONDS = 300;

    /** Looked back at first: what the store keeps by default. */
    private static final int FIRST_DAYS = 31;

    /** Hours asked of the store at a time: a day's file. */
    private static final int AT_ONCE = 24;

    static final int KEPT_DAYS = 3 * 365;

    private final JdbcClient jdbc;
    private final RecordStore store;
    private final Fleet fleet;
    /**
     * First hour not asked for yet, by service: silent hours must not be asked for again and again.
     */
    private final Map<String, Long> next = new ConcurrentHashMap<>();

    HourlyHistory(JdbcClient jdbc, RecordStore store, Fleet fleet) {
        this.jdbc = jdbc;
        this.store = store;
        this.fleet = fleet;
    }

    /** Writes the hours that are over, a day of them at most; answers whether more are waiting. */
    boolean catchUp(ServiceProfile service, long nowSecond) {
        long end = Math.floorDiv(nowSecond - LATE_SECONDS, (long) HourlyLoad.SECONDS);
        // Further than now: the clock was set back since, and no hour would be written until it is
        // there again.
        long from = next.compute(
                service.id(),
                (id, known) -> known == null || known > end ? first(service, end) : known);
        if (from >= end) {
            return false;
        }
        long to = Math.min(end, from + AT_ONCE);
        for (HourlyLoad hour : hours(service, from, to)) {
            jdbc.sql(
                            "merge into capacity_hours (service, epoch_hour, mean_rate, peak_rate, minutes) "
                                    + "key (service, epoch_hour) values (?, ?, ?, ?, ?)")
                    .params(
                            service.id(),
                            hour.epochHour(),
                            hour.mean(),
                            hour.peak(),
                            hour.minutes())
                    .update();
        }
        next.put(service.id(), to);
        return to < end;
    }

    /** Hours of one service, oldest first. */
    List<HourlyLoad> hours(String service, long fromHour) {
        return jdbc.sql("select epoch_hour, mean_rate, peak_rate, minutes from capacity_hours "
                        + "where service = ? and epoch_hour >= ? order by epoch_hour")
                .params(service, fromHour)
                .query((row, n) -> new HourlyLoad(
                        row.getLong(1), row.getDouble(2), row.getDouble(3), row.getInt(4)))
                .list();
    }

    void forgetBefore(long epochHour) {
        jdbc.sql("delete from capacity_hours where epoch_hour < ?")
                .param(epochHour)
                .update();
    }

    private long first(ServiceProfile service, long end) {
        long oldest = end - FIRST_DAYS * 24L;
        long seen = Math.floorDiv(service.firstSeenMicros(), HourlyLoad.SECONDS * 1_000_000L);
        return jdbc.sql(
                        "select max(epoch_hour) from capacity_hours where service = ? and epoch_hour < ?")
                .params(service.id(), end)
                .query((row, n) -> row.getObject(1, Long.class))
                .optional()
                .map(last -> Math.max(last + 1, oldest))
                .orElse(Math.max(seen, oldest));
    }

    private List<HourlyLoad> hours(ServiceProfile service, long fromHour, long toHour) {
        List<String> names = List.copyOf(fleet.names(service.id()));
        TimeRange range = new TimeRange(
                fromHour * HourlyLoad.SECONDS * 1_000_000L,
                toHour * HourlyLoad.SECONDS * 1_000_000L);
        Duration minute = Duration.ofMinutes(1);
        TreeMap<Long, List<Double>> rates = new TreeMap<>();
        for (WindowStep<ServiceWindow> window : store.serviceWindows(names, range, minute)) {
            add(rates, window, window.total().requests());
        }
        if (rates.isEmpty()) {
            for (WindowStep<ProxyWindow> window : store.proxyWindows(names, range, minute)) {
                add(rates, window, window.total().requests());
            }
        }
        List<HourlyLoad> hours = new ArrayList<>();
        rates.forEach((hour, each) -> hours.add(new HourlyLoad(
                hour,
                each.stream().mapToDouble(Double::doubleValue).average().orElseThrow(),
                each.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
                Math.min(60, each.size()))));
        return hours;
    }

    /** Half a minute heard is enough for a rate. */
    private static void add(
            TreeMap<Long, List<Double>> rates, WindowStep<?> window, long requests) {
        if (window.coveredMicros() >= 30_000_000) {
            rates.computeIfAbsent(
                            Math.floorDiv(window.fromMicros(), HourlyLoad.SECONDS * 1_000_000L),
                            hour -> new ArrayList<>())
                    .add(requests * 1e6 / window.coveredMicros());
        }
    }
}
