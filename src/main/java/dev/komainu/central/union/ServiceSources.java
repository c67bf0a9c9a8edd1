package dev.komainu.central.union;

import dev.komainu.telemetry.record.WindowParts;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sources of one service, and the seconds that they reported and that are not settled. Guarded
 * by its owner's lock.
 *
 * <pre>
 * limit                     value      beyond it
 * MOST_SOURCES                 16      the source is left to the election
 * MOST_BYTES                 8 MB      the oldest second is settled without those that are behind
 * KEPT_SECONDS                 90      as for MOST_BYTES
 * twice MOST_BYTES, KEPT_SECONDS       connections are left out, and the windows after them
 * </pre>
 */
final class ServiceSources {

    static final int MOST_SOURCES = 16;
    static final int KEPT_SECONDS = 90;
    static final long MOST_BYTES = 8 << 20;

    private final Map<String, ReportingSource> sources = new HashMap<>();
    private long bytes;

    /** Returns the source of a name, new or known; null when there are too many. */
    @Nullable
    ReportingSource named(String name) {
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
        return known;
    }

    /** Returns the source of a name; null when it is not known. */
    @Nullable
    ReportingSource known(String name) {
        return sources.get(name);
    }

    Collection<ReportingSource> all() {
        return sources.values();
    }

    void removeIf(Predicate<ReportingSource> forgotten) {
        sources.values().removeIf(forgotten);
    }

    /** Returns the sources that reported a second. */
    List<ReportingSource> reporting(long second) {
        return of(second, SeenSecond::hasWindows);
    }

    /** Returns the sources that reported a second with its connections. */
    List<ReportingSource> detailed(long second) {
        return of(second, SeenSecond::isDetailed);
    }

    private List<ReportingSource> of(long second, Predicate<SeenSecond> wanted) {
        return sources.values().stream()
                .filter(source -> {
                    SeenSecond seen = source.seconds.get(second);
                    return seen != null && wanted.test(seen);
                })
                .toList();
    }

    /** Returns the oldest second with a window; the highest number for none. */
    long next() {
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

    /** Adds the connections of a second. */
    void add(ReportingSource source, long second, WindowParts parts) {
        source.at(second).add(parts);
        bytes += parts.parts().bytes();
    }

    /** Drops one second of a source. */
    void dropOne(ReportingSource source, long second) {
        SeenSecond dropped = source.seconds.remove(second);
        bytes -= dropped == null ? 0 : dropped.bytes();
    }

    /** Reports whether connections are accepted: without windows they must not fill the memory. */
    boolean hasRoom(ReportingSource source) {
        return bytes <= 2 * MOST_BYTES && source.seconds.size() <= 2 * KEPT_SECONDS;
    }

    /** Reports whether so much waits that the oldest second must be settled. */
    boolean isFull() {
        return bytes > MOST_BYTES
                || sources.values().stream()
                        .anyMatch(source -> source.seconds.size() > KEPT_SECONDS);
    }

    /** Keeps the last seconds of a source while nothing is settled: others may report them too. */
    void keepRecent(ReportingSource source, long newest) {
        drop(source, newest - KEPT_SECONDS);
        while (!source.seconds.isEmpty() && bytes > MOST_BYTES) {
            drop(source, source.seconds.firstKey());
        }
    }

    /** Drops the seconds of a source up to and including one. */
    void drop(ReportingSource source, long through) {
        Map<Long, SeenSecond> dropped = source.seconds.headMap(through, true);
        dropped.values().forEach(seen -> bytes -= seen.bytes());
        dropped.clear();
    }

    void dropAll(long through) {
        sources.values().forEach(source -> drop(source, through));
    }
}
