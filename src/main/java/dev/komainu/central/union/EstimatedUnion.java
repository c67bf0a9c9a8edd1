package dev.komainu.central.union;

import dev.komainu.telemetry.record.PartsSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.List;
import java.util.TreeMap;

/**
 * The estimated union of a second in which a source saw too many connections to report each. The
 * window of the first source counts as a whole; of each further one counts the share of the
 * connections that no source before it sees.
 *
 * <p>The share comes from the connections with the lowest keys, which all sources report: those of
 * the last seconds, because by another clock a connection is reported in another second. While
 * there are fewer than {@value #LEAST} of them, the second itself is compared.
 */
final class EstimatedUnion {

    static final int LEAST = 200;

    /** Highest keys of the last seconds up to which all connections were reported, by second. */
    private final TreeMap<Long, Long> limits = new TreeMap<>();

    private final SeenConnections connections;
    private final PartsSum sum = new PartsSum();

    EstimatedUnion(SeenConnections connections) {
        this.connections = connections;
    }

    /** Returns the window of a second; parameters as for {@link ExactUnion#of}. */
    ServiceWindow of(
            String service, long second, long secondMicros, List<ReportingSource> sources) {
        long limit = limit(sources, second);
        limits.headMap(second - SeenConnections.CLOCK_SECONDS).clear();
        limits.put(second, limit);
        // Another source may have reported a connection in one of the seconds before.
        long certain = limits.values().stream().min(Long::compareUnsigned).orElse(limit);
        connections.doubt(limit, second);
        for (ReportingSource source : sources) {
            for (WindowParts parts : source.at(second).parts()) {
                parts.parts().read(key -> {
                    if (Long.compareUnsigned(key, certain) <= 0) {
                        connections.note(key, source, second);
                    } else if (Long.compareUnsigned(key, limit) <= 0) {
                        connections.noteKnown(key, source, second);
                    }
                    return false;
                });
            }
        }
        int before = 0;
        for (ReportingSource source : sources) {
            double share = before == 0 ? 1 : share(source, before, second);
            before |= source.bit();
            for (ServiceWindow window : source.at(second).windows()) {
                sum.share(window, share);
                sum.source(window);
            }
        }
        return sum.take(service, second * secondMicros, secondMicros);
    }

    /** Returns the highest key up to which every source reported all of its connections. */
    private static long limit(List<ReportingSource> sources, long second) {
        long limit = -1;
        for (ReportingSource source : sources) {
            for (WindowParts parts : source.at(second).parts()) {
                if (parts.isSample()) {
                    long[] keys = parts.parts().keys();
                    long highest = keys.length == 0 ? 0 : keys[keys.length - 1];
                    limit = Long.compareUnsigned(highest, limit) < 0 ? highest : limit;
                }
            }
        }
        return limit;
    }

    /** Returns the share of a source's connections that none of other sources sees. */
    private double share(ReportingSource source, int others, long second) {
        long all = connections.count(second, sources -> (sources & source.bit()) != 0);
        if (all >= LEAST) {
            return (double) connections.count(
                            second,
                            sources -> (sources & source.bit()) != 0 && (sources & others) == 0)
                    / all;
        }
        long[] counts = new long[2];
        for (WindowParts parts : source.at(second).parts()) {
            parts.parts().read(key -> {
                int sources = connections.sourcesOf(key);
                counts[0] += sources == 0 ? 0 : 1;
                counts[1] += sources != 0 && (sources & others) == 0 ? 1 : 0;
                return false;
            });
        }
        return counts[0] == 0 ? 1 : (double) counts[1] / counts[0];
    }
}
