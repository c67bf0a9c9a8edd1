package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One node's samples by the second. A sample's rates are means over the interval before it, so it fills the seconds it
 * speaks of; afterwards its last second holds for {@value #HOLD_SECONDS} s, until the next sample is overdue.
 */
final class HostRing {

    /** One missed sample of ten seconds, and some delay on the way. */
    static final int HOLD_SECONDS = 15;

    private static final int LONGEST_INTERVAL_SECONDS = 60;

    private final SecondRing node = new SecondRing(HostColumn.values().length, LiveIndices.RING_SECONDS);
    private final Map<String, SecondRing> servers = new HashMap<>();
    private @Nullable HostSample newest;

    synchronized void accept(HostSample sample) {
        long end = Math.floorDiv(sample.atMicros() - 1, 1_000_000L);
        int seconds = (int) Math.clamp(sample.intervalMicros() / 1_000_000, 1, LONGEST_INTERVAL_SECONDS);
        HostSample before = newest;
        for (long second = end - seconds + 1; second <= end; second++) {
            node.put(second, (columns, slot) -> {
                for (HostColumn column : HostColumn.values()) {
                    columns[column.ordinal()][slot] = column.of(sample);
                }
            });
            for (ServerProcesses server : told(sample, before)) {
                servers.computeIfAbsent(
                                server.service(),
                                id -> new SecondRing(ServerColumn.values().length, LiveIndices.RING_SECONDS))
                        .put(second, (columns, slot) -> {
                            for (ServerColumn column : ServerColumn.values()) {
                                columns[column.ordinal()][slot] = column.of(server);
                            }
                        });
            }
        }
        if (before == null || before.atMicros() <= sample.atMicros()) {
            newest = sample;
        }
    }

    /** A server that was listed before and is not any more has no processes: that is known, not missing. */
    private static List<ServerProcesses> told(HostSample sample, @Nullable HostSample before) {
        if (before == null) {
            return sample.servers();
        }
        List<ServerProcesses> all = new ArrayList<>(sample.servers());
        for (ServerProcesses server : before.servers()) {
            if (all.stream().noneMatch(now -> now.service().equals(server.service()))) {
                all.add(new ServerProcesses(server.service(), 0, 0, 0, 0, null, null, null, null));
            }
        }
        return all;
    }

    synchronized @Nullable HostSample newest() {
        return newest;
    }

    synchronized double mean(HostColumn column, long end, int over) {
        return held(node, column.ordinal(), end, over, false);
    }

    synchronized double mean(String service, ServerColumn column, long end, int over) {
        SecondRing ring = servers.get(service);
        return ring == null ? Double.NaN : held(ring, column.ordinal(), end, over, false);
    }

    synchronized double max(String service, ServerColumn column, long end, int over) {
        SecondRing ring = servers.get(service);
        return ring == null ? Double.NaN : held(ring, column.ordinal(), end, over, true);
    }

    private static double held(SecondRing ring, int column, long end, int over, boolean max) {
        long newest = ring.newest();
        long last = newest != Long.MIN_VALUE && end > newest && end - newest <= HOLD_SECONDS ? newest : end;
        return max ? ring.max(column, last, over) : ring.mean(column, last, over);
    }
}
