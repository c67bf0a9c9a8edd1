package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The programs of this host that use the CPUs most, read only while a service is in doubt and the
 * CPUs are used by others. A reading looks at a bounded number of processes in turn, and always at
 * those that were busy before. One thread at a time.
 */
public final class BusiestPrograms {

    private static final int MOST_READ = 256;
    private static final int MOST_KNOWN = 16_384;
    private static final long NANOS_PER_TICK = 10_000_000;
    private static final double BUSY_CORES = 0.02;
    private static final long STALE_NANOS = 60_000_000_000L;
    private static final byte[] STAT = NamedCounters.bytes("/stat");
    private static final byte[] NOTHING = {};
    private static final byte[] THIS_DIRECTORY = NamedCounters.bytes(".");

    private final KernelReader reader;
    private final ProcFiles proc;
    private final Map<Long, Known> known = new HashMap<>();
    private long next;

    private record Known(String name, long ticks, long atNanos, double cores) {}

    /**
     * The busiest program besides one server.
     *
     * @param name the kernel's name of its processes
     * @param processId the busiest of them
     * @param cores CPU time of all of them per second
     */
    public record Program(String name, long processId, String controlGroup, double cores) {}

    BusiestPrograms(KernelReader reader, ProcFiles proc) {
        this.reader = reader;
        this.proc = proc;
    }

    /** Reads the CPU times of processes. */
    public void read(long nowNanos) {
        int directory = reader.open(proc.path("").toString());
        List<Long> all = new ArrayList<>();
        reader.numbersIn(directory, THIS_DIRECTORY, all::add);
        Set<Long> wanted = new HashSet<>();
        known.forEach((id, process) -> {
            if (process.cores() >= BUSY_CORES) {
                wanted.add(id);
            }
        });
        int first = 0;
        while (first < all.size() && all.get(first) < next) {
            first++;
        }
        for (int i = 0; i < all.size() && wanted.size() < MOST_READ; i++) {
            wanted.add(all.get((first + i) % all.size()));
            next = all.get((first + i) % all.size()) + 1;
        }
        known.keySet().retainAll(new HashSet<>(all));
        for (long id : wanted) {
            if (reader.readOnce(directory, NOTHING, id, STAT)) {
                update(id, nowNanos);
            }
        }
        reader.close(directory);
    }

    private void update(long id, long nowNanos) {
        KernelFileText text = reader.text();
        if (!text.skipPast('(')) {
            return;
        }
        int from = text.position();
        if (!text.skipPastLast(')')) {
            return;
        }
        String name = text.between(from, text.position() - 1);
        text.skipWords(11);
        long ticks = text.number(0) + text.number(0);
        Known before = known.get(id);
        // A reused process id has another name, or fewer ticks.
        boolean same = before != null && before.name().equals(name) && ticks >= before.ticks();
        double seconds = before == null ? 0 : (nowNanos - before.atNanos()) / 1e9;
        double cores = same && before != null && seconds > 0
                ? (ticks - before.ticks()) * (NANOS_PER_TICK / 1e9) / seconds
                : 0;
        if (before != null || known.size() < MOST_KNOWN) {
            known.put(id, new Known(name, ticks, nowNanos, cores));
        }
    }

    /**
     * Returns the busiest program; null when none is busy.
     *
     * @param leftOut the processes of the server itself
     */
    public @Nullable Program busiest(LongPredicate leftOut, long nowNanos) {
        Map<String, Double> cores = new HashMap<>();
        Map<String, Long> busiest = new HashMap<>();
        known.forEach((id, process) -> {
            if (process.cores() >= BUSY_CORES
                    && nowNanos - process.atNanos() < STALE_NANOS
                    && !leftOut.test(id)) {
                cores.merge(process.name(), process.cores(), Double::sum);
                busiest.merge(
                        process.name(),
                        id,
                        (one, other) -> coresOf(one) >= coresOf(other) ? one : other);
            }
        });
        String most = null;
        for (Map.Entry<String, Double> entry : cores.entrySet()) {
            if (most == null || entry.getValue() > cores.getOrDefault(most, 0.0)) {
                most = entry.getKey();
            }
        }
        Long id = most == null ? null : busiest.get(most);
        return most == null || id == null
                ? null
                : new Program(most, id, controlGroup(id), cores.getOrDefault(most, 0.0));
    }

    private double coresOf(long id) {
        Known process = known.get(id);
        return process == null ? 0 : process.cores();
    }

    /** Returns the group of version 2, else of the CPU hierarchy; empty when it is not visible. */
    private String controlGroup(long id) {
        String group = "";
        for (String line : proc.text(id + "/cgroup").split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && (parts[1].isEmpty() || parts[1].contains("cpu"))) {
                group = parts[1].isEmpty() && !group.isEmpty() && parts[2].equals("/")
                        ? group
                        : parts[2];
            }
        }
        return group;
    }
}
