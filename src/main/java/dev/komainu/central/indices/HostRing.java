package dev.komainu.central.indices;

import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.HostSample.ServerProcesses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The samples of one node by the second. The rates of a sample are means over the interval before
 * it, so it fills all seconds of that interval. After it, its last second stays valid for
 * {@value #HOLD_SECONDS} s, until the next sample is overdue.
 */
final class HostRing {

    /** Seconds for one missed sample of ten seconds and some transfer delay. */
    static final int HOLD_SECONDS = 15;

    private static final int LONGEST_INTERVAL_SECONDS = 60;

    private final int slots;
    private final int holdSlots;
    private final SecondRing node;
    private final Map<String, SecondRing> servers = new HashMap<>();
    /**
     * The source that listed each server last. A server has ended when this source no longer lists
     * it; the list of another agent does not count.
     */
    private final Map<String, String> listedBy = new HashMap<>();

    private @Nullable HostSample newest;
    private final PartFaultMemory faults = new PartFaultMemory();

    HostRing(int slots) {
        this(slots, HOLD_SECONDS);
    }

    /**
     * Creates an empty ring.
     *
     * @param holdSlots number of slots after the newest for which the newest stays valid
     */
    HostRing(int slots, int holdSlots) {
        this.slots = slots;
        this.holdSlots = holdSlots;
        node = new SecondRing(HostColumn.values().length, slots);
    }

    /**
     * Accepts a sample. A server that this source listed before and no longer lists has no process
     * left.
     */
    synchronized void accept(String source, HostSample sample) {
        long end = Math.floorDiv(sample.atMicros() - 1, 1_000_000L);
        int seconds =
                (int) Math.clamp(sample.intervalMicros() / 1_000_000, 1, LONGEST_INTERVAL_SECONDS);
        List<String> gone = gone(source, sample);
        for (long second = end - seconds + 1; second <= end; second++) {
            put(second, sample, 1);
            for (String server : gone) {
                noProcess(server, second, departed(sample, server));
            }
        }
        sample.servers().forEach(server -> listedBy.put(server.service(), source));
        HostSample before = newest;
        if (before == null || before.atMicros() <= sample.atMicros()) {
            newest = sample;
            HostParts parts = sample.parts();
            if (parts != null) {
                faults.accept(parts);
            }
        }
    }

    /** Returns the parts of the host that are at fault, the most serious kind first. */
    synchronized List<PartFault> faults() {
        return faults.now();
    }

    /** Clears later seconds, see {@link LiveIndices#clearAfter}. */
    synchronized void clearAfter(long second) {
        node.clearAfter(second);
        servers.values().forEach(ring -> ring.clearAfter(second));
        HostSample last = newest;
        if (last != null && Math.floorDiv(last.atMicros() - 1, 1_000_000L) > second) {
            newest = null;
            faults.clear();
        }
    }

    /**
     * Fills one slot from a sample.
     *
     * @param nth number of samples that have reported this slot, including this one; their values
     *     are averaged
     */
    synchronized void put(long second, HostSample sample, int nth) {
        node.put(second, slot -> {
            for (HostColumn column : HostColumn.values()) {
                blend(slot, column.ordinal(), column.of(sample), nth);
            }
        });
        for (ServerProcesses server : sample.servers()) {
            ring(server.service()).put(second, slot -> {
                for (ServerColumn column : ServerColumn.values()) {
                    blend(slot, column.ordinal(), column.of(server), nth);
                }
            });
        }
    }

    private SecondRing ring(String service) {
        return servers.computeIfAbsent(
                service, id -> new SecondRing(ServerColumn.values().length, slots));
    }

    private List<String> gone(String source, HostSample sample) {
        List<String> gone = new ArrayList<>();
        listedBy.forEach((service, by) -> {
            boolean listed = sample.servers().stream().anyMatch(s -> s.service().equals(service));
            if (by.equals(source) && !listed) {
                gone.add(service);
            }
        });
        return gone;
    }

    private static HostSample.@Nullable DepartedServer departed(HostSample sample, String service) {
        HostSample.Departures departures = sample.departures();
        if (departures != null) {
            for (HostSample.DepartedServer server : departures.servers()) {
                if (server.service().equals(service)) {
                    return server;
                }
            }
        }
        return null;
    }

    private void noProcess(
            String service, long second, HostSample.@Nullable DepartedServer departed) {
        ring(service).put(second, slot -> {
            for (ServerColumn column : ServerColumn.values()) {
                slot.set(column.ordinal(), Double.NaN);
            }
            slot.set(ServerColumn.PROCESSES.ordinal(), 0);
            if (departed != null) {
                Integer supervised = departed.supervised();
                slot.set(ServerColumn.SUCCESSORS.ordinal(), departed.successorProcesses());
                slot.set(
                        ServerColumn.SUPERVISED.ordinal(),
                        supervised == null ? Double.NaN : supervised);
            }
        });
    }

    private static void blend(SecondRing.Slot slot, int column, double value, int nth) {
        double before = slot.before(column);
        slot.set(
                column, nth == 1 || Double.isNaN(before) ? value : before + (value - before) / nth);
    }

    synchronized @Nullable HostSample newest() {
        return newest;
    }

    /** Returns the newest second that a sample describes; {@link Long#MIN_VALUE} when none does. */
    synchronized long newestSecond() {
        return node.newest();
    }

    synchronized double mean(HostColumn column, long end, int over) {
        return aggregate(node, column.ordinal(), end, over, false);
    }

    synchronized double mean(String service, ServerColumn column, long end, int over) {
        SecondRing ring = servers.get(service);
        return ring == null ? Double.NaN : aggregate(ring, column.ordinal(), end, over, false);
    }

    synchronized double max(String service, ServerColumn column, long end, int over) {
        SecondRing ring = servers.get(service);
        return ring == null ? Double.NaN : aggregate(ring, column.ordinal(), end, over, true);
    }

    private double aggregate(SecondRing ring, int column, long end, int over, boolean max) {
        long newest = ring.newest();
        long last = newest != Long.MIN_VALUE && end > newest && end - newest <= holdSlots
                ? newest
                : end;
        return max ? ring.max(column, last, over) : ring.mean(column, last, over);
    }
}
