package dev.komainu.central.union;

import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The union of what several sources saw of one service, second by second. It is in force while at
 * least two sources report their connections; without it, one source is elected for each second. A
 * second is settled once, when it waits for no source any more ({@link WaitingRule}). A source that
 * reports it later is left out, and counted as late. Guarded by its owner's lock.
 */
final class ServiceUnion {

    private static final long SECOND_MICROS = 1_000_000;

    /** Time after which a source that reports nothing no longer counts as one of several. */
    private static final long LEFT_MILLIS = 30_000;

    /** Time after which a silent source is forgotten. */
    private static final long FORGOTTEN_MILLIS = 60_000;

    /** Settled seconds without connections of a second source, after which the election follows. */
    private static final int ALONE_SECONDS = 30;

    /** Seconds by which a source may be ahead of the others; beyond, its clock is wrong. */
    private static final int MOST_AHEAD_SECONDS = 600;

    /** Seconds by which all sources are behind the settled ones when their clocks were set back. */
    private static final int SET_BACK_SECONDS = 120;

    private final String service;
    private final ServiceSources sources = new ServiceSources();
    private final WaitingRule waiting = new WaitingRule();
    private final SeenConnections connections = new SeenConnections();
    private final ExactUnion exact = new ExactUnion(connections);
    private final EstimatedUnion estimated = new EstimatedUnion(connections);
    private final Map<LeftOutReason, Long> leftOut = new EnumMap<>(LeftOutReason.class);
    private boolean isInForce;
    /** The first second of the union; earlier ones belong to the election. */
    private long first = Long.MIN_VALUE;

    private long settled = Long.MIN_VALUE;
    /** The last settled second with connections of several sources. */
    private long lastShared = Long.MIN_VALUE;

    private boolean wasEstimated;

    /** Creates a union that is not in force. */
    ServiceUnion(String service) {
        this.service = service;
    }

    /** Accepts the connections of a window, which comes after them. */
    void accept(String source, WindowParts parts, long nowMillis) {
        ReportingSource reporting = sources.named(source);
        if (reporting == null) {
            return;
        }
        reporting.lastReportMillis = nowMillis;
        long second = parts.fromMicros() / SECOND_MICROS;
        // The window of a second that is settled is counted as late.
        if (second > settled) {
            if (sources.hasRoom(reporting)) {
                sources.add(reporting, second, parts);
            } else {
                reporting.refused = second;
            }
        }
    }

    /**
     * Accepts a window.
     *
     * @param beside the source uses the service's own id: it runs on the server's host
     * @return whether the union uses the window or leaves it out; false: the election is to use it
     */
    boolean accept(String source, boolean beside, ServiceWindow window, long nowMillis) {
        ReportingSource reporting = sources.named(source);
        if (reporting == null) {
            return false;
        }
        long second = window.fromMicros() / SECOND_MICROS;
        WaitingRule.Arrival arrival = waiting.reported(nowMillis);
        if (isInForce && second > settled + MOST_AHEAD_SECONDS) {
            reporting.lastReportMillis = nowMillis;
            reporting.latest = second;
            count(LeftOutReason.AHEAD, 1);
            return false;
        }
        reporting.report(second, window.service(), beside, nowMillis);
        if (isInForce && second <= settled) {
            resetIfSetBack();
        }
        if (isInForce && second <= settled) {
            count(LeftOutReason.LATE, second >= first ? 1 : 0);
            return second >= first;
        }
        waiting.await(source);
        SeenSecond seen = reporting.at(second);
        seen.add(window, arrival, reporting.refused == second);
        boolean isDetailed = seen.isDetailed();
        if (isDetailed) {
            reporting.newestDetailed = Math.max(reporting.newestDetailed, second);
        }
        if (isInForce) {
            return true;
        }
        if (isDetailed && sources.detailed(second).size() > 1) {
            begin(second);
            return true;
        }
        if (!isDetailed) {
            sources.dropOne(reporting, second);
        }
        sources.keepRecent(reporting, second);
        return false;
    }

    private void count(LeftOutReason reason, long windows) {
        leftOut.merge(reason, windows, Long::sum);
    }

    private void begin(long second) {
        isInForce = true;
        first = second;
        settled = second - 1;
        lastShared = second;
        connections.clear();
        sources.dropAll(settled);
    }

    /** Begins again when the sources' clocks were set back: no second would be settled for long. */
    private void resetIfSetBack() {
        if (sources.all().stream().allMatch(source -> source.latest < settled - SET_BACK_SECONDS)) {
            countSetBack();
            leave();
            settled = Long.MIN_VALUE;
            sources.all().forEach(source -> source.newest = source.latest);
        }
    }

    private void countSetBack() {
        sources.all()
                .forEach(source -> count(
                        LeftOutReason.SET_BACK,
                        source.seconds.values().stream()
                                .filter(SeenSecond::hasWindows)
                                .count()));
    }

    private void leave() {
        isInForce = false;
        first = Long.MIN_VALUE;
        sources.dropAll(Long.MAX_VALUE);
        connections.clear();
    }

    /** Returns the seconds that are settled now, in order. */
    List<SettledSecond> settle(long nowMillis) {
        List<SettledSecond> all = new ArrayList<>();
        if (isInForce) {
            for (long next = sources.next();
                    next != Long.MAX_VALUE && isDue(next, nowMillis);
                    next = sources.next()) {
                all.add(settleSecond(next));
            }
            if (sources.next() == Long.MAX_VALUE
                    && (!isShared(nowMillis) || settled - lastShared >= ALONE_SECONDS)) {
                leave();
            }
        }
        sources.removeIf(source -> mayForget(source, nowMillis));
        return all;
    }

    private boolean mayForget(ReportingSource source, long nowMillis) {
        boolean forgotten = nowMillis - source.lastReportMillis > FORGOTTEN_MILLIS
                && source.seconds.isEmpty()
                && (!isInForce || waiting.isGivenUp(source.name));
        if (forgotten) {
            waiting.forget(source.name);
        }
        return forgotten;
    }

    private boolean isDue(long second, long nowMillis) {
        WaitingRule.Arrival arrival = sources.reporting(second).stream()
                .map(source -> source.at(second).arrival())
                .min(Comparator.comparingLong(WaitingRule.Arrival::watchedMillis))
                .orElseThrow();
        return waiting.isDue(second, arrival, sources.all(), nowMillis) || sources.isFull();
    }

    private SettledSecond settleSecond(long second) {
        List<ReportingSource> reporting =
                sources.reporting(second).stream().sorted(preference(second)).toList();
        List<ReportingSource> detailed = reporting.stream()
                .filter(source -> source.at(second).isDetailed())
                .toList();
        lastShared = detailed.size() > 1 ? second : lastShared;
        ServiceWindow window;
        List<ReportingSource> used = detailed.isEmpty() ? reporting.subList(0, 1) : detailed;
        boolean isEstimated = false;
        if (detailed.isEmpty()) {
            window = named(reporting.getFirst().at(second).whole());
        } else {
            boolean isSample =
                    detailed.stream().anyMatch(source -> source.at(second).isSample());
            isEstimated = isSample && detailed.size() > 1;
            wasEstimated = isEstimated;
            window = isSample
                    ? estimated.of(service, second, SECOND_MICROS, detailed)
                    : exact.of(service, second, SECOND_MICROS, detailed);
            connections.sweep(second);
        }
        for (ReportingSource source : sources.all()) {
            if (!reporting.contains(source)) {
                source.missed++;
            } else if (!used.contains(source)) {
                count(source.at(second).leftOut(), 1);
            }
        }
        settled = second;
        sources.dropAll(second);
        return new SettledSecond(second, window, isEstimated);
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
        return sources.all().stream()
                        .filter(source -> nowMillis - source.lastReportMillis <= LEFT_MILLIS)
                        .count()
                > 1;
    }

    /** Reports whether no source has reported the service for long. */
    boolean isForgotten(long nowMillis) {
        return sources.all().stream()
                .allMatch(source -> nowMillis - source.lastReportMillis > FORGOTTEN_MILLIS);
    }

    /** Returns the source's names of the service. */
    Set<String> namesBy(String source) {
        ReportingSource reporting = sources.known(source);
        return reporting == null ? Set.of() : reporting.allNames();
    }

    /** Clears later seconds: they will be reported again. */
    void clearAfter(long second) {
        if (settled > second) {
            countSetBack();
            leave();
            settled = Long.MIN_VALUE;
            sources.all().forEach(source -> source.newest = Math.min(source.newest, second));
        }
    }

    /** Returns which source sees what share of the connections; null when not in force. */
    @Nullable
    SeenViews views() {
        if (!isInForce) {
            return null;
        }
        List<ReportingSource> reporting = sources.all().stream()
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
        List<SeenViews.Missing> missing = sources.all().stream()
                .filter(source -> waiting.isGivenUp(source.name))
                .sorted(Comparator.comparing(source -> source.name))
                .map(source -> new SeenViews.Missing(source.name, source.latest, source.missed))
                .toList();
        int everyone = reporting.stream().mapToInt(ReportingSource::bit).sum();
        return new SeenViews(
                all,
                connections.count(settled, seen -> (seen & everyone) == everyone),
                connections.count(settled, seen -> Integer.bitCount(seen) > 1),
                wasEstimated,
                views,
                missing,
                leftOut);
    }
}
