package dev.komainu.agent;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.evidence.EvidenceRing;
import dev.komainu.agent.evidence.EvidenceSettings;
import dev.komainu.agent.evidence.RecordingSource;
import dev.komainu.agent.packet.CaptureLanes;
import dev.komainu.agent.packet.CaptureProblemException;
import dev.komainu.agent.packet.DefaultInterfaces;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.LiveCaptureConfig;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.agent.summary.CaptureSession;
import dev.komainu.agent.summary.FirstWindowMarker;
import dev.komainu.agent.summary.WindowJoin;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Task that captures live packets and makes connections and windows of one second of them, on
 * threads of its own. Where capturing is not possible, it reports the reason and is retried later;
 * the rest of the agent runs.
 *
 * <p>The kernel passes every TCP packet and the analyzer selects the watched servers, unless ports
 * were set explicitly: replacing a filter when a server appears would lose the packets that arrive
 * meanwhile.
 */
final class CaptureTask implements AutoCloseable {

    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final int LEAST_RING_BYTES = 1 << 20;
    private static final long RETRY_NANOS = 5_000_000_000L;

    private final AgentSettings settings;
    private final RecordSink sink;
    private final WatchedServices watched;
    private final TaskProblems troubles;
    private final Supplier<Set<String>> detailed;
    private final ClockSteps steps;

    // Written by the agent's thread.
    private volatile @Nullable CaptureThreads running;
    private List<SourceStatus.Drops> lastDrops = List.of();
    private volatile long notBeforeNanos = System.nanoTime();
    private @Nullable EvidenceRing evidence;

    CaptureTask(
            AgentSettings settings,
            RecordSink sink,
            WatchedServices watched,
            TaskProblems troubles) {
        this(settings, sink, watched, troubles, Set::of);
    }

    /**
     * Creates a task that does not capture yet.
     *
     * @param detailed services whose windows are requested by connection now
     */
    CaptureTask(
            AgentSettings settings,
            RecordSink sink,
            WatchedServices watched,
            TaskProblems troubles,
            Supplier<Set<String>> detailed) {
        this(
                settings,
                sink,
                watched,
                troubles,
                detailed,
                new ClockSteps(EpochMicros::now, System::nanoTime));
    }

    CaptureTask(
            AgentSettings settings,
            RecordSink sink,
            WatchedServices watched,
            TaskProblems troubles,
            Supplier<Set<String>> detailed,
            ClockSteps steps) {
        this.detailed = detailed;
        this.settings = settings;
        this.sink = sink;
        this.watched = watched;
        this.troubles = troubles;
        this.steps = steps;
    }

    /**
     * Opens the interfaces unless they are open, or again if they went away. The agent's thread.
     */
    void ensureRunning() {
        long step = steps.check();
        if (step != 0) {
            restart(step);
        }
        CaptureThreads now = running;
        if (now != null && now.areAlive()) {
            reopen(now.lanes());
            return;
        }
        if (System.nanoTime() - notBeforeNanos < 0) {
            return;
        }
        notBeforeNanos = System.nanoTime() + RETRY_NANOS;
        stop();
        List<String> interfaces =
                settings.interfaces().isEmpty() ? DefaultInterfaces.names() : settings.interfaces();
        try {
            CaptureLanes lanes = CaptureLanes.open(new LiveCaptureConfig(
                    interfaces,
                    fixedPorts(),
                    settings.snaplen(),
                    ringBytes(interfaces.size() * settings.captureThreads()),
                    !settings.samplesHost(),
                    settings.captureThreads()));
            CaptureThreads threads = threads(lanes);
            running = threads;
            threads.start();
            reportRefusal(lanes.refusal());
            troubles.clear("capture");
        } catch (CaptureProblemException e) {
            troubles.set("capture", e.code(), e.getMessage(), e.remedy());
        } catch (LinkageError e) {
            troubles.set(
                    "capture",
                    "no-libpcap",
                    "libpcap cannot be loaded: " + e.getMessage(),
                    "apt-get install libpcap0.8");
        }
    }

    /**
     * Restarts the capture after a step of the clock. Windows are cut by the packets' own times.
     * After a clock was set back by an hour, none would be reported for an hour; so the open
     * windows are reported with their old times, and capturing restarts with the new ones.
     */
    private void restart(long stepMicros) {
        System.err.printf(
                Locale.ROOT,
                "agent: this host's clock was set %s by %.1f s; capturing restarts%n",
                stepMicros < 0 ? "back" : "forward",
                Math.abs(stepMicros) / 1e6);
        stop();
        notBeforeNanos = System.nanoTime();
    }

    /**
     * Creates the threads.
     *
     * @param lanes lanes that were just opened
     */
    private CaptureThreads threads(CaptureLanes lanes) {
        int number = lanes.lanes().size();
        AnalyzerConfig config = AnalyzerConfig.live(watched.ports())
                .withPrivacy(settings.privacy())
                .sharedBy(number);
        RecordSink windows = new FirstWindowMarker(System.currentTimeMillis() * 1_000, sink);
        WindowJoin join = number == 1 ? null : new WindowJoin(windows);
        UnaryOperator<PacketSource> recorder = recorder();
        return new CaptureThreads(
                lanes,
                lane -> new CaptureSession(
                        recorder.apply(lane),
                        config,
                        names(),
                        WINDOW,
                        windows,
                        join == null ? null : join.part(),
                        detailed),
                this::failed);
    }

    /** Returns the frames read since capturing began, by outcome. Any thread. */
    Map<FrameDecoder.Outcome, Long> frames() {
        CaptureThreads now = running;
        return now == null ? Map.of() : now.frames();
    }

    private void reportRefusal(@Nullable String refusal) {
        if (refusal == null) {
            troubles.clear("capture-threads");
        } else {
            troubles.set(
                    "capture-threads",
                    "one-capture-thread",
                    "capture.threads: " + settings.captureThreads()
                            + " (expected: 1 on this host, so one thread reads; " + refusal + ")",
                    null);
        }
    }

    /**
     * Reopens interfaces. An interface may go away, come back, or be down while others are read;
     * its packets are missing then.
     */
    private void reopen(CaptureLanes capture) {
        CaptureProblemException problem = capture.reopen();
        List<String> down =
                capture.interfaces().stream().filter(CaptureTask::isDown).toList();
        if (problem != null) {
            troubles.set("interface", problem.code(), problem.getMessage(), problem.remedy());
        } else if (!down.isEmpty()) {
            String name = down.getFirst();
            troubles.set(
                    "interface",
                    "interface-down",
                    "Interface " + String.join(", ", down) + " is down: its packets are missing",
                    "ip link set " + name + " up");
        } else {
            troubles.clear("interface");
        }
    }

    private static boolean isDown(String name) {
        try {
            NetworkInterface face = NetworkInterface.getByName(name);
            return face != null && !face.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    /**
     * Returns a wrapper that writes captured frames to the evidence ring, where it is configured. A
     * ring that cannot be opened is reported.
     */
    private UnaryOperator<PacketSource> recorder() {
        EvidenceSettings config = settings.evidence();
        if (config == null) {
            return source -> source;
        }
        try {
            EvidenceRing ring = evidence == null ? EvidenceRing.open(config) : evidence;
            evidence = ring;
            troubles.clear("dump");
            return source -> new RecordingSource(source, ring, watched::watchesPort);
        } catch (IOException e) {
            troubles.set("dump", "no-evidence", e.getMessage(), null);
            return source -> source;
        }
    }

    /**
     * Returns the bytes of each ring. The configured memory is shared, so that one more interface
     * or thread does not need more memory.
     */
    private int ringBytes(int rings) {
        return Math.max(LEAST_RING_BYTES, settings.bufferBytes() / Math.max(1, rings));
    }

    private Set<Integer> fixedPorts() {
        return watched.watchesElsewhere() || !watched.proxies().isEmpty()
                ? Set.of()
                : settings.ports();
    }

    private void failed(Exception reason) {
        // Soon: an interface that was replaced is back after a moment.
        notBeforeNanos = System.nanoTime();
        troubles.set(
                "capture",
                "capture-stopped",
                "Capturing stopped and will be retried: " + reason.getMessage(),
                null);
    }

    private ServiceNames names() {
        return new ServiceNames() {
            @Override
            public @Nullable String nameOf(Endpoint server) {
                return watched.nameOf(server);
            }

            @Override
            public boolean hasOriginSides() {
                return !watched.proxies().isEmpty();
            }

            @Override
            public @Nullable String originSideOf(Endpoint client, Endpoint server) {
                return watched.proxies().of(client, server);
            }

            @Override
            public int generation() {
                return watched.generation();
            }

            @Override
            public List<String> always() {
                return watched.names();
            }
        };
    }

    /** Returns the interfaces that are read. The agent's thread. */
    List<String> interfaces() {
        CaptureThreads now = running;
        if (now == null || !now.areAlive()) {
            return List.of();
        }
        List<String> gone = now.lanes().gone();
        return now.lanes().interfaces().stream()
                .filter(name -> !gone.contains(name))
                .toList();
    }

    /** Returns the counts of data left out since capturing began, by reason. The agent's thread. */
    List<SourceStatus.Drops> drops() {
        CaptureThreads now = running;
        List<SourceStatus.Drops> drops = now == null ? lastDrops : now.drops();
        EvidenceRing ring = evidence;
        if (ring == null) {
            return drops;
        }
        String trouble = ring.trouble();
        if (trouble == null) {
            troubles.clear("dump");
        } else {
            troubles.set("dump", "no-evidence", trouble, null);
        }
        if (ring.lost() == 0) {
            return drops;
        }
        List<SourceStatus.Drops> all = new ArrayList<>(drops);
        all.add(new SourceStatus.Drops("evidence-lost", ring.lost()));
        return all;
    }

    /**
     * Writes the open connections and windows, then releases the interfaces. The agent's thread.
     */
    @Override
    public void close() {
        stop();
        EvidenceRing ring = evidence;
        evidence = null;
        if (ring != null) {
            ring.close();
        }
    }

    private void stop() {
        CaptureThreads now = running;
        running = null;
        if (now == null) {
            return;
        }
        try {
            now.stop();
            lastDrops = now.drops();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
