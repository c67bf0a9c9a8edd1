package dev.komainu.central.union;

import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The union of what several sources saw of one service, second by second. It is in force while at
 * least two sources report their connections; without it, one source is elected for each second. A
 * second is settled when every active source has reported it or a later one, or
 * {@value #PATIENCE_MILLIS} ms after the first report. A source that reports a second later is
 * counted as late.
 *
 * <p>After an outage the sources report old seconds, each at its own pace. Such a second waits
 * {@value #BACKLOG_PATIENCE_MILLIS} ms for a source that is behind, within {@value #MOST_BYTES}
 * bytes of connections. Guarded by its owner's lock.
 *
 * <pre>
 * limit                     value      beyond it
 * MOST_SOURCES                 16      the source is left to the election
 * MOST_BYTES                 8 MB      the oldest second is settled without those that are behind
 * KEPT_SECONDS                 90      as for MOST_BYTES
 * </pre>
 */
final class ServiceUnion {

    private static final long SECOND_MICROS = 1_000_000;

    static final long PATIENCE_MILLIS = 3_000;
    static final long BACKLOG_PATIENCE_MILLIS = 30_000;

    /** Age of a second at its arrival from which it is a second of a backlog. */
    private static final long BACKLOG_AGE_MILLIS = 8_000;

    /** Time after which a source that reports nothing no longer counts as one of several. */
    private static final long LEFT_MILLIS = 10_000;

    /** Time after which a silent source is forgotten. */
    private static final long FORGOTTEN_MILLIS = 60_000;

    /** Settled seconds without connections of a second source, after which the election follows. */
    private static final int ALONE_SECONDS = 10;

    /** Seconds by which a source may be ahead of the others; beyond, its clock is wrong. */
    private static final int MOST_AHEAD_SECONDS = 600;

    /** Seconds by which all sources are behind the settled ones when their clocks were set back. */
    private static final int SET_BACK_SECONDS = 120;

    private static final int MOST_SOURCES = 16;
    private static final int KEPT_SECONDS = 90;
    private static final long MOST_BYTES = 8 << 20;

    private final String service;
    private final Map<String, ReportingSource> sources = new HashMap<>();
    private final SeenConnections connections = new SeenConnections();
    private final ExactUnion exact = new ExactUnion(connections);
    private final EstimatedUnion estimated = new EstimatedUnion(connections);
    private boolean isInForce;
    /** The first second of the union; earlier ones belong to the election. */
    private long first = Long.MIN_VALUE;

    private long settled = Long.MIN_VALUE;
    /** The last settled second with connections of several sources. */
    private long lastShared = Long.MIN_VALUE;

    private boolean wasEstimated;
    private long bytes;
    private long late;
    private long withoutParts;

    /** Creates a union that is not in force. */
    ServiceUnion(String service) {
        this.service = service;
    }

    /** Accepts the connections of a window, which comes after them. */
    void accept(String source, WindowParts parts, long nowMillis) {
        ReportingSource reporting = source(source, nowMillis);
        long second = parts.fromMicros() / SECOND_MICROS;
        // Connections without a window after them must not fill the memory.
        if (reporting != null
                && second > settled
                && bytes <= 2 * MOST_BYTES
                && reporting.seconds.size() <= 2 * KEPT_SECONDS) {
            reporting.at(second).add(parts);
            bytes += parts.parts().bytes();
        }
    }

    /**
     * Accepts a window.
     *
     * @param beside the source uses the service's own id: it runs on the server's host
     * @return whether the union uses the window or leaves it out; false: the election is to use it
     */
    boolean accept(String source, boolean beside, ServiceWindow window, long nowMillis) {
        ReportingSource reporting = source(source, nowMillis);
        if (reporting == null) {
            return false;
        }
        long second = window.fromMicros() / SECOND_MICROS;
        reporting.report(second, window.service(), beside, nowMillis);
        if (isInForce && second <= settled) {
            resetIfSetBack();
        }
        if (isInForce && second > settled + MOST_AHEAD_SECONDS) {
            return false;
        }
        if (isInForce && second <= settled) {
            late += second >= first ? 1 : 0;
            return second >= first;
        }
        SeenSecond seen = reporting.at(second);
        seen.add(window, nowMillis);
        boolean isDetailed = seen.isDetailed();
        if (isDetailed) {
            reporting.newestDetailed = Math.max(reporting.newestDetailed, second);
        }
        if (isInForce) {
            withoutParts += isDetailed ? 0 : 1;
            return true;
        }
        if (isDetailed && isSharedAt(second)) {
            isInForce = true;
            first = second;
            settled = second - 1;
            lastShared = second;
            connections.clear();
            sources.values().forEach(other -> dropThrough(other, settled));
            return true;
        }
        keepRecent(reporting, second);
        return false;
    }

    private @Nullable ReportingSource source(String name, long nowMillis) {
        ReportingSource known = sources.get(name);
        if (known == null) {
            int number = 0;
            Set<Integer> taken = new HashSet<>();
            sources.values().forEach(source -> taken.add(source.number));
            while (taken.contains(number)) {
                number++;
            }
            if (number == MOST_SOURCES) {
                return null;
            }
            known = new ReportingSource(name, number);
            sources.put(name, known);
        }
        known.lastReportMillis = nowMillis;
        return known;
    }

    private boolean isSharedAt(long second) {
        return detailed(second).size() > 1;
    }

    /** Returns the sources that reported a second with its connections. */
    private List<ReportingSource> detailed(long second) {
        return sources.values().stream()
                .filter(source -> {
                    SeenSecond seen = source.seconds.get(second);
                    return seen != null && seen.isDetailed();
                })
                .toList();
    }

    /** Keeps the last seconds before the union is in force: another source may report them too. */
    private void keepRecent(ReportingSource source, long second) {
        SeenSecond seen = source.at(second);
        if (!seen.isDetailed()) {
            source.seconds.remove(second);
            bytes -= seen.bytes();
        }
        while (!source.seconds.isEmpty()
                && (bytes > MOST_BYTES || source.seconds.size() > KEPT_SECONDS)) {
            dropThrough(source, source.seconds.firstKey());
        }
    }

    private void dropThrough(ReportingSource source, long second) {
        Map<Long, SeenSecond> dropped = source.seconds.headMap(second, true);
        dropped.values().forEach(seen -> bytes -= seen.bytes());
        dropped.clear();
    }

    /** Begins again when the sources' clocks were set back: no second would be settled for long. */
    private void resetIfSetBack() {
        if (sources.values().stream()
                .allMatch(source -> source.latest < settled - SET_BACK_SECONDS)) {
            leave();
            settled = Long.MIN_VALUE;
            sources.values().forEach(source -> source.newest = source.latest);
        }
    }

    private void leave() {
        isInForce = false;
        first = Long.MIN_VALUE;
        sources.values().forEach(source -> dropThrough(source, Long.MAX_VALUE));
        connections.clear();
    }

    /** Returns the seconds that are settled now, in order. */
    List<SettledSecond> settle(long nowMillis) {
        List<SettledSecond> all = new ArrayList<>();
        if (isInForce) {
            for (long next = next();
                    next != Long.MAX_VALUE && isDue(next, nowMillis);
                    next = next()) {
                SettledSecond second = settleSecond(next);
                if (second != null) {
                    all.add(second);
                }
            }
            if (next() == Long.MAX_VALUE
                    && (!isShared(nowMillis) || settled - lastShared >= ALONE_SECONDS)) {
                leave();
            }
        }
        sources.values()
                .removeIf(source -> nowMillis - source.lastReportMillis > FORGOTTEN_MILLIS
                        && source.seconds.isEmpty());
        return all;
    }

    /** Returns the oldest second with a window that is not settled; the highest number for none. */
    private long next() {
        long next = Long.MAX_VALUE;
        for (ReportingSource source : sources.values()) {
            for (Map.Entry<Long, SeenSecond> seen : source.seconds.entrySet()) {
                if (seen.getValue().hasWindows()) {
                    next = Math.min(next, seen.getKey());
                    break;
                }
            }
        }
        return next;
    }

    private boolean isDue(long second, long nowMillis) {
        List<ReportingSource> behind = sources.values().stream()
                .filter(source -> nowMillis - source.lastReportMillis <= PATIENCE_MILLIS
                        && !source.hasPassed(second))
                .toList();
        if (behind.isEmpty() || bytes > MOST_BYTES || kept() > KEPT_SECONDS) {
            return true;
        }
        long arrived = sources.values().stream()
                .map(source -> source.seconds.get(second))
                .filter(seen -> seen != null && seen.hasWindows())
                .mapToLong(SeenSecond::arrivedMillis)
                .min()
                .orElse(nowMillis);
        boolean isBacklog = arrived - (second + 1) * 1_000 > BACKLOG_AGE_MILLIS;
        return nowMillis - arrived >= (isBacklog ? BACKLOG_PATIENCE_MILLIS : PATIENCE_MILLIS);
    }

    private int kept() {
        return sources.values().stream()
                .mapToInt(source -> source.seconds.size())
                .max()
                .orElse(0);
    }

    private @Nullable SettledSecond settleSecond(long second) {
        List<ReportingSource> detailed =
                detailed(second).stream().sorted(preference(second)).toList();
        if (detailed.size() > 1) {
            lastShared = second;
        }
        SettledSecond result;
        if (detailed.isEmpty()) {
            result = sources.values().stream()
                    .filter(source -> {
                        SeenSecond seen = source.seconds.get(second);
                        return seen != null && seen.hasWindows();
                    })
                    .min(preference(second))
                    .map(source ->
                            new SettledSecond(second, named(source.at(second).whole()), false))
                    .orElse(null);
        } else {
            boolean isSample =
                    detailed.stream().anyMatch(source -> source.at(second).isSample());
            wasEstimated = isSample && detailed.size() > 1;
            result = new SettledSecond(
                    second,
                    isSample
                            ? estimated.of(service, second, SECOND_MICROS, detailed)
                            : exact.of(service, second, SECOND_MICROS, detailed),
                    wasEstimated);
            connections.sweep(second);
        }
        settled = second;
        sources.values().forEach(source -> dropThrough(source, second));
        return result;
    }

    /** Returns the order in which sources become owners of connections that have none. */
    private static Comparator<ReportingSource> preference(long second) {
        return Comparator.<ReportingSource, Boolean>comparing(
                        source -> source.at(second).isLossy())
                .thenComparingLong(source -> -source.at(second).connections())
                .thenComparingLong(source -> -source.at(second).packets())
                .thenComparing(source -> !source.beside)
                .thenComparing(source -> source.name);
    }

    private ServiceWindow named(ServiceWindow window) {
        return new ServiceWindow(
                service,
                window.fromMicros(),
                window.lengthMicros(),
                window.connections(),
                window.exchanges(),
                window.concurrency(),
                window.packets(),
                window.times(),
                window.failures(),
                window.clientPaths());
    }

    /** Reports whether several sources report the service at present. */
    boolean isShared(long nowMillis) {
        int active = 0;
        for (ReportingSource source : sources.values()) {
            active += nowMillis - source.lastReportMillis <= LEFT_MILLIS ? 1 : 0;
        }
        return active > 1;
    }

    /** Reports whether no source has reported the service for long. */
    boolean isForgotten(long nowMillis) {
        return sources.values().stream()
                .allMatch(source -> nowMillis - source.lastReportMillis > FORGOTTEN_MILLIS);
    }

    /** Returns the source's names of the service. */
    Set<String> namesBy(String source) {
        ReportingSource reporting = sources.get(source);
        return reporting == null ? Set.of() : reporting.allNames();
    }

    /** Clears later seconds: they will be reported again. */
    void clearAfter(long second) {
        if (settled > second) {
            leave();
            settled = Long.MIN_VALUE;
            sources.values().forEach(source -> source.newest = Math.min(source.newest, second));
        }
    }

    /** Returns which source sees what share of the connections; null when not in force. */
    @Nullable
    SeenViews views() {
        if (!isInForce) {
            return null;
        }
        Collection<ReportingSource> reporting = sources.values().stream()
                .filter(source -> source.newestDetailed >= settled - ALONE_SECONDS)
                .sorted(Comparator.comparing(source -> source.name))
                .toList();
        long all = connections.count(settled, seen -> seen != 0);
        List<SeenViews.View> views = reporting.stream()
                .map(source -> new SeenViews.View(
                        source.name,
                        connections.count(settled, seen -> (seen & source.bit()) != 0),
                        connections.count(settled, seen -> seen == source.bit())))
                .toList();
        int everyone = reporting.stream().mapToInt(ReportingSource::bit).sum();
        return new SeenViews(
                all,
                connections.count(settled, seen -> (seen & everyone) == everyone),
                connections.count(settled, seen -> Integer.bitCount(seen) > 1),
                wasEstimated,
                views,
                late,
                withoutParts);
    }

    long late() {
        return late;
    }

    long withoutParts() {
        return withoutParts;
    }
}
