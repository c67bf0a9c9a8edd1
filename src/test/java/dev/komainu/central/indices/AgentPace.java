package dev.komainu.central.indices;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times at which an agent with default settings samples the host, and the values of each
 * sample: means over the time since the last sample. An agent samples every ten seconds. When a
 * service's packets raise a doubt, it samples at once and then every second, until thirty seconds
 * after the last cause (the agent's HostPace, SamplingTrigger and ServiceCourse, failed responses
 * in its log and broken parts, as far as scenarios need them).
 */
final class AgentPace {

    private static final int INTERVAL = 10;
    private static final int HOLD = 30;
    private static final double WEIGHT = 1 / 60.0;

    /** Fields of a host sample that describe an instant, not a rate over the interval. */
    private static final List<String> SIZES = List.of(
            "available",
            "processes",
            "threads",
            "openFiles",
            "openFilesLimit",
            "acceptQueue",
            "acceptQueueLimit",
            "blocked",
            "memoryUsed",
            "memoryLimit",
            "quota",
            "readLimit",
            "ports",
            "portRange",
            "shaped",
            "io",
            "stopped",
            "clientWrite",
            "clientRead",
            "backendWait",
            "backends",
            "backendsConnecting",
            "backendsUnacked",
            "clientsBlocked",
            "successors",
            "supervised",
            "pressureMemory",
            "volumeUsed",
            "inodesUsed",
            "readOnly",
            "volumeErrors",
            "linksDown");

    private final boolean means;
    private final int interval;
    private final List<Map<String, Double>> since = new ArrayList<>();
    private int next;
    private int doubtUntil = -1;
    private double usualSeconds = Double.NaN;
    private int learnt;
    private int slow;
    private int unanswered;
    private int repeating;

    private AgentPace(int first, boolean means, int interval) {
        this.next = first;
        this.means = means;
        this.interval = interval;
    }

    static AgentPace from(int first) {
        return new AgentPace(first, true, INTERVAL);
    }

    /**
     * Returns a pace that is always in doubt: one sample for each second, about this second only.
     */
    static AgentPace everySecond() {
        return new AgentPace(0, true, 1);
    }

    /** Returns a pace in step with phases of whole tens of seconds, never in doubt. */
    static AgentPace aligned() {
        return new AgentPace(INTERVAL - 1, false, INTERVAL);
    }

    /** Returns the sample taken at the end of this second; null when there is none. */
    @Nullable
    Map<String, Double> second(
            int second, @Nullable Map<String, Double> packets, @Nullable Map<String, Double> host) {
        if (host != null) {
            since.add(host);
        } else {
            since.clear();
        }
        boolean failing = host != null
                && host.getOrDefault("loggedErrors", 0.0)
                                + host.getOrDefault("loggedLostPages", 0.0)
                        >= Math.max(2, host.getOrDefault("logged", 0.0) * 0.3);
        boolean broken = host != null
                && (host.getOrDefault("linksDown", 0.0) > 0
                        || host.getOrDefault("cardErrors", 0.0) >= 1
                        || host.getOrDefault("backlogDrops", 0.0) >= 100);
        boolean begins = means
                && packets != null
                && (isDoubtful(packets) || failing || broken)
                && doubt(second);
        if (second < next && !begins) {
            return null;
        }
        next = second + (means && second < doubtUntil ? 1 : interval);
        if (since.isEmpty()) {
            return null;
        }
        Map<String, Double> sample = mean();
        since.clear();
        return sample;
    }

    /** Reports whether a doubt begins with this second. */
    private boolean doubt(int second) {
        boolean begins = second >= doubtUntil;
        doubtUntil = second + HOLD;
        return begins;
    }

    private boolean isDoubtful(Map<String, Double> v) {
        double arrived = v.getOrDefault("rps", 0.0);
        double done = v.getOrDefault("done", arrived);
        double waiting = v.getOrDefault("waiting", done * v.getOrDefault("ms", 2.0) / 1_000);
        double seconds = done > 0 ? waiting / done : waiting >= 1 ? 1 : Double.NaN;
        slow = seconds > usualSeconds * 3 && seconds > usualSeconds + 0.05 ? slow + 1 : 0;
        unanswered = arrived >= 10 && done < arrived * 0.7 ? unanswered + 1 : 0;
        double repeats = v.getOrDefault("repeats", 0.0);
        repeating = repeats >= 5 && repeats >= v.getOrDefault("serverPackets", done * 5) / 100
                ? repeating + 1
                : 0;
        boolean cause = learnt >= 10 && slow >= 3
                || unanswered >= 3
                || repeating >= 3
                || v.getOrDefault("synRepeats", 0.0) >= 3;
        if (!cause && !Double.isNaN(seconds)) {
            learnt++;
            usualSeconds = Double.isNaN(usualSeconds)
                    ? seconds
                    : usualSeconds + (seconds - usualSeconds) * WEIGHT;
        }
        return cause;
    }

    private Map<String, Double> mean() {
        Map<String, Double> newest = since.getLast();
        Map<String, Double> mean = new HashMap<>(newest);
        mean.put("interval", (double) since.size());
        if (!means) {
            mean.put("interval", (double) INTERVAL);
            return mean;
        }
        for (Map<String, Double> each : since) {
            for (String name : each.keySet()) {
                if (!SIZES.contains(name) && !name.equals("interval")) {
                    // A field that only one of two phases contains is a fault or a wait, which is 0
                    // otherwise.
                    double otherwise = name.equals("idle") ? 0.8 : 0;
                    mean.put(
                            name,
                            since.stream()
                                    .mapToDouble(second -> second.getOrDefault(name, otherwise))
                                    .average()
                                    .orElseThrow());
                }
            }
        }
        return mean;
    }
}
