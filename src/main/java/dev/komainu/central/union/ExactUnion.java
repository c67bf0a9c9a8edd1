package dev.komainu.central.union;

import dev.komainu.central.union.SeenConnections.Seen;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.PartCounter;
import dev.komainu.telemetry.record.PartsSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.WindowParts;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The union of the connections that sources reported in one second. For each connection one source
 * counts, its owner, for the life of the connection: the first that reports it, in the order of
 * preference. Another source becomes the owner
 *
 * <ul>
 *   <li>when the owner did not report the second;
 *   <li>when the owner lost packets in it, and the other did not;
 *   <li>when the owner has not reported the connection for {@value SeenConnections#CLOCK_SECONDS}
 *       s, and the other sees packets of it: the switch sends them to another monitor now.
 * </ul>
 *
 * <p>What the others report of the connection is left out, also in seconds for which the owner
 * reports nothing of it: by another clock, the connection begins or ends in another second. For the
 * same reason a new owner's report of a beginning or an end is left out if the owner before counted
 * it.
 */
final class ExactUnion {

    private final SeenConnections connections;
    private final PartsSum sum = new PartsSum();

    ExactUnion(SeenConnections connections) {
        this.connections = connections;
    }

    /**
     * Returns the window of a second.
     *
     * @param sources those that reported the second with all connections, in order of preference,
     *     at least one
     */
    ServiceWindow of(
            String service, long second, long secondMicros, List<ReportingSource> sources) {
        for (ReportingSource source : sources) {
            for (WindowParts parts : seen(source, second).parts()) {
                parts.parts().read(key -> {
                    connections.note(key, source, second);
                    return false;
                });
            }
        }
        boolean isAnyCounted = false;
        for (ReportingSource source : sources) {
            if (add(source, second, sources)) {
                isAnyCounted = true;
                seen(source, second).windows().forEach(sum::source);
            }
        }
        if (!isAnyCounted) {
            seen(sources.getFirst(), second).windows().forEach(sum::source);
        }
        return sum.take(service, second * secondMicros, secondMicros);
    }

    private static SeenSecond seen(ReportingSource source, long second) {
        return source.at(second);
    }

    /** Adds the connections for which the source counts; reports whether there are any. */
    private boolean add(ReportingSource source, long second, List<ReportingSource> sources) {
        boolean[] isAnyCounted = {false};
        for (WindowParts parts : seen(source, second).parts()) {
            Set<Long> moving = moving(source, second, parts.parts());
            parts.parts().read(new ConnectionParts.Reader() {
                private @Nullable Seen current;
                private boolean isNewOwner;

                @Override
                public boolean part(long key) {
                    Seen seen = connections.get(key);
                    isNewOwner = false;
                    if (seen.owner != source
                            && (mayTake(seen, source, second, sources) || moving.contains(key))) {
                        // Later, a port is used again.
                        isNewOwner = seen.owner != null
                                && seen.lastOfOwner >= second - SeenConnections.CLOCK_SECONDS;
                        seen.own(source, second);
                    }
                    current = seen;
                    isAnyCounted[0] |= seen.owner == source;
                    return seen.owner == source;
                }

                @Override
                public void cell(int cell, long value) {
                    Seen seen = current;
                    long counted = value;
                    if (seen != null && cell == PartCounter.ARRIVALS.ordinal()) {
                        counted = seen.arrivals(value, isNewOwner);
                    } else if (seen != null && cell == PartCounter.ENDED.ordinal()) {
                        counted = seen.ends(value, isNewOwner);
                    }
                    sum.cell(cell, counted);
                }

                @Override
                public void step(int micros, boolean up) {
                    sum.step(micros, up);
                }
            });
        }
        return isAnyCounted[0];
    }

    private static boolean mayTake(
            Seen connection, ReportingSource source, long second, List<ReportingSource> sources) {
        ReportingSource owner = connection.owner;
        return owner == null
                || !sources.contains(owner)
                || (seen(owner, second).isLossy() && !seen(source, second).isLossy());
    }

    /**
     * Returns the connections of another owner, which has not reported them for long, if this
     * source sees packets of them.
     */
    private Set<Long> moving(ReportingSource source, long second, ConnectionParts parts) {
        Set<Long> moving = new HashSet<>();
        parts.read(new ConnectionParts.Reader() {
            private long current;

            @Override
            public boolean part(long key) {
                current = key;
                Seen seen = connections.get(key);
                return seen.owner != null
                        && seen.owner != source
                        && seen.lastOfOwner < second - SeenConnections.CLOCK_SECONDS;
            }

            @Override
            public void cell(int cell, long value) {
                if (cell == PartCounter.PACKETS_UP.ordinal()
                        || cell == PartCounter.PACKETS_DOWN.ordinal()) {
                    moving.add(current);
                }
            }
        });
        return moving;
    }
}
