package dev.komainu.central.indices;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Records made from the few values that a test names; all other values are normal. */
public final class Told {

    private Told() {}

    private static double get(Map<String, Double> values, String name, double otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    private static void check(Map<String, Double> values, Set<String> known) {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(name + " (expected: one of " + known + ")");
            }
        }
    }

    public static Distribution millis(double median, long count) {
        if (count <= 0) {
            return Distribution.empty();
        }
        Histogram recorder = Distribution.newRecorder();
        for (int i = 0; i < Math.min(count, 50); i++) {
            Distribution.record(
                    recorder, (long) (median * 1_000 * (0.8 + 0.4 * i / Math.min(count, 50))));
        }
        return Distribution.of(recorder);
    }

    /**
     * Returns one second of packets: {@code rps} requests arrive, {@code done} (the same number)
     * get a response, in {@code ms}; {@code old}: an agent that counts no failures.
     */
    public static ServiceWindow packets(String service, long second, Map<String, Double> v) {
        check(
                v,
                Set.of(
                        "rps",
                        "done",
                        "conns",
                        "ms",
                        "concurrent",
                        "waiting",
                        "refused",
                        "resets",
                        "clientResets",
                        "old",
                        "synRepeats",
                        "noAnswer",
                        "errors",
                        "down",
                        "repeats",
                        "transfer",
                        "resetUnanswered",
                        "closedUnanswered",
                        "deliberateUnavailable",
                        "lostPages",
                        "handshakes",
                        "failedHandshakes",
                        "unique",
                        "lost",
                        "thinkMs",
                        "rttMs",
                        "zeroWindows",
                        "sendingClients",
                        "retransmittingClients",
                        "dataRttMs",
                        "serverPackets"));
        double rps = get(v, "rps", 0);
        double done = get(v, "done", rps);
        double millis = get(v, "ms", 2);
        double conns = get(v, "conns", rps);
        double waiting = get(v, "waiting", done * millis / 1_000);
        double concurrent = get(v, "concurrent", waiting + 1);
        long packets = Math.round(get(v, "serverPackets", done * 5 + get(v, "refused", 0)));
        long repeats = Math.round(get(v, "repeats", 0));
        DirectionTotals down = new DirectionTotals(
                packets,
                Math.round(get(v, "down", done * 10_000)),
                0,
                Math.round(get(v, "unique", 0)),
                repeats,
                0,
                0);
        DirectionTotals up = new DirectionTotals(
                Math.round(conns * 4),
                Math.round(conns * 400),
                0,
                0,
                0,
                0,
                Math.round(get(v, "zeroWindows", 0)));
        return new ServiceWindow(
                service,
                second * 1_000_000,
                1_000_000,
                new ServiceWindow.Connections(
                        Math.round(conns),
                        Math.round(Math.min(done, conns)),
                        Math.round(get(v, "refused", 0)),
                        Math.round(get(v, "noAnswer", 0)),
                        Math.round(get(v, "clientResets", 0)),
                        Math.round(get(v, "resets", 0)),
                        0),
                new ServiceWindow.Exchanges(
                        Math.round(rps), Math.round(done), Math.round(get(v, "errors", 0))),
                new ServiceWindow.Concurrency(concurrent, (long) Math.ceil(concurrent), waiting),
                new ServiceWindow.Packets(
                        up,
                        down,
                        Math.round(get(v, "synRepeats", 0)),
                        10_000,
                        Math.round(get(v, "lost", 0)),
                        0),
                new ServiceWindow.Times(
                        millis(millis, Math.round(done)),
                        millis(get(v, "transfer", 1), Math.round(done)),
                        millis(millis * 2, Math.round(done)),
                        new ServiceWindow.RoundTrips(
                                millis(get(v, "thinkMs", 0) / 10, Math.round(get(v, "thinkMs", 0))),
                                millis(get(v, "rttMs", 0), Math.round(get(v, "rttMs", 0))),
                                Distribution.empty(),
                                millis(get(v, "thinkMs", 0), Math.round(get(v, "thinkMs", 0)))),
                        grid(
                                (long) (millis * 1_000),
                                (long) (get(v, "transfer", 1) * 1_000),
                                Math.round(done))),
                v.containsKey("old") ? null : failures(v),
                v.containsKey("sendingClients")
                        ? new ClientPaths(
                                Math.round(get(v, "sendingClients", 0)),
                                Math.round(get(v, "retransmittingClients", 0)),
                                millis(
                                        get(v, "dataRttMs", 1),
                                        Math.round(get(v, "sendingClients", 0))),
                                Distribution.empty())
                        : null);
    }

    private static Failures failures(Map<String, Double> v) {
        return new Failures(
                Math.round(get(v, "resetUnanswered", 0)),
                Math.round(get(v, "closedUnanswered", 0)),
                Math.round(get(v, "deliberateUnavailable", 0)),
                Math.round(get(v, "lostPages", 0)),
                Math.round(get(v, "handshakes", 0)),
                Math.round(get(v, "failedHandshakes", 0)));
    }

    private static TimesGrid grid(long responseMicros, long transferMicros, long count) {
        TimesGrid.Recorder recorder = new TimesGrid.Recorder();
        for (long i = 0; i < count; i++) {
            recorder.record(responseMicros, transferMicros);
        }
        return recorder.take();
    }

    /** Returns ten seconds of a server's own log. */
    public static AccessLogWindow log(
            String service, long second, double concurrent, long entries) {
        return new AccessLogWindow(
                service,
                second * 1_000_000,
                10_000_000,
                "/var/log/access.log",
                "nginx",
                new AccessLogWindow.Counts(entries, 0, entries * 100, 0),
                concurrent,
                (long) Math.ceil(concurrent * 2),
                new AccessLogWindow.Durations(true, 1_000, millis(3, entries)));
    }

    /** Returns a sample of ten seconds on two CPUs and 4 GB. */
    public static HostSample host(
            String node, String service, long atSecond, Map<String, Double> v) {
        check(
                v,
                withParts(
                        "idle",
                        "iowait",
                        "kernel",
                        "available",
                        "majorFaults",
                        "swap",
                        "processes",
                        "threads",
                        "cores",
                        "openFiles",
                        "openFilesLimit",
                        "acceptQueue",
                        "acceptQueueLimit",
                        "overflows",
                        "drops",
                        "ownDrops",
                        "interface",
                        "io",
                        "pressureMemory",
                        "kernelCores",
                        "cpuWaiting",
                        "waitsUnseen",
                        "blocked",
                        "readBytes",
                        "quota",
                        "throttled",
                        "memoryLimit",
                        "memoryUsed",
                        "refaults",
                        "kills",
                        "serverFaults",
                        "readLimit",
                        "ports",
                        "portRange",
                        "shaped",
                        "timeWait",
                        "tcpMemory",
                        "tcpMemoryLimit",
                        "interfaceDrops",
                        "stopped",
                        "clientWrite",
                        "clientRead",
                        "backendWait",
                        "busiestProcess",
                        "runtimeCores",
                        "gc",
                        "otherCores",
                        "backends",
                        "backendsConnecting",
                        "backendsUnacked",
                        "clientsBlocked",
                        "logged",
                        "loggedErrors",
                        "loggedUnavailable",
                        "loggedLostPages",
                        "successors",
                        "supervised",
                        "softirq",
                        "interval"));
        double idle = get(v, "idle", 0.8);
        double iowait = get(v, "iowait", 0);
        double kernel = get(v, "kernel", (1 - idle - iowait) / 2);
        HostSample.CpuShare cpu = new HostSample.CpuShare(
                Math.max(0, 1 - idle - iowait - kernel), kernel, iowait, 0, idle, 0.0);
        HostSample.CpuShare second =
                new HostSample.CpuShare(cpu.user(), kernel, iowait, 0, idle, get(v, "softirq", 0));
        long total = 4_000_000_000L;
        long available = Math.round(total * get(v, "available", 0.6));
        HostSample.ServerProcesses server = new HostSample.ServerProcesses(
                service,
                new HostSample.ServerProcesses.Use(
                        (int) get(v, "processes", 5),
                        (int) get(v, "threads", 5),
                        100_000_000,
                        get(v, "cores", (1 - idle) * 2)),
                new HostSample.ServerProcesses.OpenFiles(
                        Math.round(get(v, "openFiles", 40)),
                        Math.round(get(v, "openFilesLimit", 1_024))),
                new HostSample.ServerProcesses.AcceptQueue(
                        Math.round(get(v, "acceptQueue", 0)),
                        Math.round(get(v, "acceptQueueLimit", 511)),
                        v.containsKey("ownDrops") ? Double.valueOf(get(v, "ownDrops", 0)) : null),
                v.containsKey("serverFaults")
                        ? new HostSample.Work(100, get(v, "serverFaults", 0), 1_000, null)
                        : null,
                waits(v),
                group(v),
                v.containsKey("ports")
                        ? new HostSample.Ports(
                                Math.round(get(v, "ports", 0)),
                                Math.round(get(v, "portRange", 28_232)),
                                null)
                        : null,
                details(v));
        double speed = 1e9;
        return new HostSample(
                node,
                atSecond * 1_000_000,
                Math.round(get(v, "interval", 10) * 1_000_000),
                new HostSample.Resources(
                        List.of(cpu, second),
                        new HostSample.Memory(total, available, available, 0, 0, 0),
                        List.of(new HostSample.InterfaceRates(
                                "eth0",
                                0,
                                speed / 8 * get(v, "interface", 0.1),
                                (long) speed,
                                0,
                                0,
                                get(v, "interfaceDrops", 0),
                                0,
                                new HostSample.InterfaceRates.Queue(
                                        v.containsKey("shaped")
                                                ? Long.valueOf(Math.round(get(v, "shaped", 0)))
                                                : null,
                                        0,
                                        0))),
                        List.of()),
                new HostSample.KernelRates(
                        1_000,
                        1_000,
                        100,
                        get(v, "majorFaults", 0),
                        null,
                        get(v, "swap", 0),
                        get(v, "swap", 0)),
                new HostSample.Network(
                        new HostSample.Sockets(
                                100,
                                50,
                                0,
                                Math.round(get(v, "timeWait", 20)),
                                Math.round(get(v, "tcpMemory", 100_000)),
                                new HostSample.Sockets.Rates(
                                        10,
                                        get(v, "overflows", 0),
                                        get(v, "drops", 0),
                                        0,
                                        0,
                                        1_000),
                                v.containsKey("tcpMemoryLimit")
                                        ? Long.valueOf(Math.round(get(v, "tcpMemoryLimit", 0)))
                                        : null),
                        List.of()),
                new HostSample.Pressure(0, get(v, "pressureMemory", 0), get(v, "io", 0)),
                new HostSample.Totals(120, 300, 0.5, 0, 0, null),
                get(v, "processes", 5) == 0 ? List.of() : List.of(server),
                0,
                v.containsKey("successors")
                        ? new HostSample.Departures(List.of(new HostSample.DepartedServer(
                                service,
                                (int) get(v, "successors", 0),
                                v.containsKey("supervised")
                                        ? Integer.valueOf((int) get(v, "supervised", 0))
                                        : null,
                                null)))
                        : null,
                ToldParts.of(atSecond, v));
    }

    private static Set<String> withParts(String... own) {
        return Stream.concat(ToldParts.NAMES.stream(), Stream.of(own)).collect(Collectors.toSet());
    }

    private static @Nullable Double part(Map<String, Double> v, String name) {
        return v.get(name);
    }

    private static @Nullable Long count(Map<String, Double> v, String name) {
        return v.containsKey(name) ? Long.valueOf(Math.round(get(v, name, 0))) : null;
    }

    private static HostSample.ServerProcesses.Details details(Map<String, Double> v) {
        boolean states = v.keySet().stream()
                .anyMatch(Set.of("stopped", "clientWrite", "clientRead", "backendWait")::contains);
        boolean peaks = v.keySet().stream()
                .anyMatch(Set.of("busiestProcess", "runtimeCores", "gc")::contains);
        boolean links = v.keySet().stream()
                .anyMatch(
                        Set.of(
                                "backends",
                                "backendsConnecting",
                                "backendsUnacked",
                                "clientsBlocked")::contains);
        return new HostSample.ServerProcesses.Details(
                states
                        ? new HostSample.ThreadStates(
                                get(v, "stopped", 0),
                                10,
                                part(v, "clientWrite"),
                                part(v, "clientRead"),
                                part(v, "backendWait"),
                                null,
                                null)
                        : null,
                peaks
                        ? new HostSample.PeakUse(
                                get(v, "busiestProcess", 0.1),
                                null,
                                part(v, "runtimeCores"),
                                part(v, "gc"))
                        : null,
                links
                        ? new HostSample.Links(
                                100,
                                Math.round(get(v, "clientsBlocked", 0)),
                                count(v, "backends"),
                                count(v, "backendsConnecting"),
                                count(v, "backendsUnacked"))
                        : null,
                v.containsKey("otherCores")
                        ? new HostSample.OtherUse(
                                get(v, "otherCores", 0), "stress-ng", 4711L, "/batch", 1.9)
                        : null,
                v.containsKey("logged")
                        ? new HostSample.LoggedResponses(
                                get(v, "logged", 0),
                                get(v, "loggedErrors", 0),
                                get(v, "loggedUnavailable", 0),
                                get(v, "loggedLostPages", 0))
                        : null);
    }

    /** Returns the waits of the server; null for an agent that does not report them. */
    private static HostSample.@Nullable Waits waits(Map<String, Double> v) {
        if (v.containsKey("waitsUnseen")) {
            return null;
        }
        return new HostSample.Waits(
                get(v, "kernelCores", 0.01),
                get(v, "cpuWaiting", 0),
                // A CPU that is idle for the disk has a thread that waits for it.
                (int) get(v, "blocked", get(v, "iowait", 0) >= 0.05 ? 1 : 0),
                get(v, "readBytes", 0),
                0.0);
    }

    private static HostSample.@Nullable ControlGroup group(Map<String, Double> v) {
        if (v.keySet().stream().noneMatch(Set.of("quota", "memoryLimit", "readLimit")::contains)) {
            return null;
        }
        boolean cpu = v.containsKey("quota");
        boolean memory = v.containsKey("memoryLimit");
        double limit = get(v, "memoryLimit", 0);
        return new HostSample.ControlGroup(
                v.get("quota"),
                cpu ? Double.valueOf(get(v, "throttled", 0)) : null,
                cpu ? Double.valueOf(get(v, "throttled", 0)) : null,
                memory ? Long.valueOf(Math.round(limit)) : null,
                memory ? Long.valueOf(Math.round(limit * get(v, "memoryUsed", 0.5))) : null,
                memory ? Double.valueOf(get(v, "refaults", 0)) : null,
                memory ? Double.valueOf(get(v, "refaults", 0)) : null,
                memory ? Double.valueOf(get(v, "kills", 0)) : null,
                v.containsKey("readLimit")
                        ? Long.valueOf(Math.round(get(v, "readLimit", 0)))
                        : null,
                null);
    }

    /** Returns one second of Komainu's proxy. */
    public static ProxyWindow proxy(String service, long second, Map<String, Double> v) {
        check(
                v,
                Set.of(
                        "rps",
                        "hits",
                        "originMs",
                        "originSent",
                        "originFailures",
                        "errors",
                        "inFlight",
                        "protectedHits",
                        "protectedMisses",
                        "peakMs"));
        long rps = Math.round(get(v, "rps", 0));
        long hits = Math.round(get(v, "hits", rps * 0.55));
        long misses = Math.max(0, rps - hits);
        double originMillis = get(v, "originMs", 20);
        return new ProxyWindow(
                service,
                second * 1_000_000,
                1_000_000,
                new ProxyWindow.Exchanges(
                        rps,
                        rps,
                        Math.round(get(v, "inFlight", rps * originMillis / 1_000)),
                        rps * 10_000,
                        0),
                new ProxyWindow.Outcomes(hits, 0, 0, 0, misses, 0, Math.round(get(v, "errors", 0))),
                new ProxyWindow.Origins(
                        Math.round(get(v, "originSent", misses)),
                        Math.round(get(v, "originFailures", 0)),
                        misses * 10_000),
                new ProxyWindow.Connections(50, 20, 10, 5, 0, null),
                new ProxyWindow.Cache(
                        10_000_000,
                        64_000_000,
                        1_000,
                        0,
                        v.containsKey("protectedHits")
                                ? new ProxyWindow.Pools(
                                        60_000_000,
                                        11_000_000,
                                        12_000_000,
                                        1_000_000,
                                        40_000_000,
                                        9_000_000,
                                        Math.round(get(v, "protectedHits", 0)),
                                        Math.round(get(v, "protectedMisses", 0)),
                                        0,
                                        0)
                                : null,
                        v.containsKey("peakMs")
                                ? new ProxyWindow.Tier(
                                        1_000_000_000,
                                        2_000_000_000,
                                        500,
                                        30,
                                        3,
                                        20,
                                        Math.round(get(v, "peakMs", 0) * 1_000),
                                        0)
                                : null),
                new ProxyWindow.Times(
                        millis(0.5, hits),
                        millis(originMillis + 1, misses),
                        millis(originMillis, misses)));
    }
}
