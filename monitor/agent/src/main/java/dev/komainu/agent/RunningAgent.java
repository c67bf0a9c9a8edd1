package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.host.OwnUsage;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.ProductVersion;
import dev.komainu.telemetry.report.ReporterStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The running agent. {@link #start} returns at once; {@link #close} writes the open connections and
 * windows and stops. A failure of a task does not end the tasks on the agent's clock: it is
 * reported once and the task is tried again.
 */
public final class RunningAgent implements AutoCloseable {

    private static final long STATUS_SECONDS = 10;
    private static final long REPEAT_SECONDS = 300;
    private static final long CHECK_CAPTURE_SECONDS = 2;
    private static final long EXPIRE_SECONDS = 30;
    private static final long ORDER_KEY_SECONDS = 5;
    private static final long CHECK_LIMIT_SECONDS = 30;
    private static final long REST_HEAP_BYTES = 16 << 20;
    private static final long FIRST_SAMPLE_MILLIS = 1_000;
    private static final long PARTS_MILLIS = 1_000;
    private static final long LOGS_MILLIS = 1_000;
    private static final long NO_LOGS_MILLIS = 5_000;

    private final AgentSettings settings;
    private final @Nullable PartIdentity identity;
    private final RecordSink sink;
    private final Supplier<List<SourceStatus.Drops>> sinkDrops;
    private final Supplier<@Nullable String> sinkTrouble;
    private final long startedMicros = EpochMicros.now();
    private final OwnUsage usage = new OwnUsage();
    private final TaskProblems troubles = new TaskProblems();
    private final WatchedServices watched;
    private final UndiscoveredHost undiscovered;
    private final @Nullable HostTask host;
    private final @Nullable HostSampleSchedule pace;
    private final @Nullable CaptureTask capture;
    private final OrderInbox orders;
    private final DetailedServices detailed = new DetailedServices(System::nanoTime);
    private volatile @Nullable SourceStatus lastStatus;
    private Set<String> reportedElsewhere = Set.of();
    private final long createdNanos = System.nanoTime();
    private long reportedElsewhereNanos = System.nanoTime();
    private final ScheduledExecutorService clock = clock();

    /**
     * Creates an agent that is not started.
     *
     * @param sink receives the records of the host and of the agent
     * @param packetSink receives the records of packets; it may wait
     * @param sinkDrops returns the counts of records that the sink left out since its start
     * @param sinkTrouble returns the reason why the sink cannot deliver now; null while it can
     */
    public RunningAgent(
            AgentSettings settings,
            RecordSink sink,
            RecordSink packetSink,
            Supplier<List<SourceStatus.Drops>> sinkDrops,
            Supplier<@Nullable String> sinkTrouble) {
        this(settings, null, sink, packetSink, sinkDrops, sinkTrouble);
    }

    /**
     * Creates an agent with an identity that is not started.
     *
     * @param identity its identity at the central service; absent: it has a token, or reports
     *     nowhere
     */
    RunningAgent(
            AgentSettings settings,
            @Nullable PartIdentity identity,
            RecordSink sink,
            RecordSink packetSink,
            Supplier<List<SourceStatus.Drops>> sinkDrops,
            Supplier<@Nullable String> sinkTrouble) {
        this.settings = settings;
        this.identity = identity;
        this.sink = sink;
        this.sinkDrops = sinkDrops;
        this.sinkTrouble = sinkTrouble;
        this.undiscovered = UndiscoveredHost.here(settings.node());
        this.watched = new WatchedServices(
                settings.services(),
                portsToLearn(settings),
                new OriginSides(settings.outside().proxies()));
        if (!settings.samplesHost()) {
            watched.proxies().update(List.of(), watched::idOf, settings.node(), startedMicros);
        }
        this.host = settings.samplesHost() ? new HostTask(settings, sink, watched, troubles) : null;
        this.pace = host == null
                ? null
                : new HostSampleSchedule(
                        settings.host(), clock, host, look -> guarded("host", look));
        this.orders = new OrderInbox(settings, identity, sink, this::serversNow, troubles);
        this.capture = settings.captures()
                ? new CaptureTask(
                        settings,
                        evaluating(watched.before(packetSink)),
                        watched,
                        troubles,
                        detailed::services)
                : null;
    }

    private static ScheduledExecutorService clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("komainu-agent").daemon().factory());
        // Otherwise a stop waits for the next sample, up to its limit.
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return clock;
    }

    /** Accepts orders from a response of the central service. Any thread; returns at once. */
    public void takeOrders(List<String> signed) {
        orders.accept(signed);
    }

    /** Records these services by connection from now on. Any thread; returns at once. */
    public void detail(Set<String> services) {
        detailed.request(services);
    }

    /**
     * Returns the current servers, read on the agent's own thread as discovery requires; empty when
     * the agent is closing or the check takes too long.
     */
    private List<DiscoveredServer> serversNow() {
        HostTask hostTask = host;
        if (hostTask == null) {
            return List.of();
        }
        try {
            return clock.submit(hostTask::recheckNow).get(CHECK_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            return List.of();
        }
    }

    /**
     * Returns a sink that also evaluates the windows: packets may be a reason to sample the host
     * more often.
     */
    private RecordSink evaluating(RecordSink next) {
        HostSampleSchedule schedule = pace;
        if (schedule == null) {
            return next;
        }
        return record -> {
            if (record instanceof ServiceWindow window) {
                schedule.onWindow(window);
            }
            next.accept(record);
        };
    }

    /**
     * Returns the ports of servers to learn. At a mirror port no program on this host identifies
     * the servers: each address that responds on these ports is one.
     */
    private static Set<Integer> portsToLearn(AgentSettings settings) {
        if (settings.samplesHost() || !settings.services().isEmpty()) {
            return Set.of();
        }
        Set<Integer> ports = new HashSet<>(settings.alsoPorts());
        ports.addAll(settings.ports().isEmpty() ? DiscoverySettings.WEB_PORTS : settings.ports());
        return ports;
    }

    public void start() {
        HostTask hostTask = host;
        HostSampleSchedule schedule = pace;
        if (hostTask != null && schedule != null) {
            // The first sample only stores the counters. Then discovery, then packets: the first
            // packet already finds its service.
            clock.execute(guarded("host", () -> hostTask.sample(false)));
            clock.execute(guarded("discovery", hostTask::check));
            schedule.start(FIRST_SAMPLE_MILLIS);
            long look = settings.discoveryInterval().toMillis();
            every(look, look, guarded("discovery", () -> schedule.onDepartures(hostTask.check())));
            every(
                    PARTS_MILLIS,
                    PARTS_MILLIS,
                    guarded("parts", () -> schedule.onChangedParts(hostTask.changedParts())));
            followLogs(
                    hostTask,
                    guarded("access-log", () -> schedule.onFailedResponses(hostTask.readLogs())));
            every(
                    REPEAT_SECONDS * 1_000,
                    REPEAT_SECONDS * 1_000,
                    guarded("discovery", hostTask::recheckAll));
        }
        CaptureTask captureTask = capture;
        if (captureTask != null) {
            every(
                    0,
                    CHECK_CAPTURE_SECONDS * 1_000,
                    guarded("capture-start", () -> checkCapture(captureTask)));
            if (watched.watchesElsewhere()) {
                every(1_000, 1_000, guarded("services", this::reportServicesElsewhere));
            }
        }
        if (settings.changes().allowed()) {
            every(200, ORDER_KEY_SECONDS * 1_000, guarded("orders", orders::open));
        }
        every(500, STATUS_SECONDS * 1_000, guarded("status", this::reportStatus));
        every(EXPIRE_SECONDS * 1_000, EXPIRE_SECONDS * 1_000, RunningAgent::releaseMemory);
    }

    /**
     * Checks the capture; a change of its state is reported at once, so that monitoring of the
     * agent does not wait.
     */
    private void checkCapture(CaptureTask captureTask) {
        List<String> before = captureTask.interfaces();
        List<SourceStatus.Trouble> troublesBefore = troubles.list();
        captureTask.ensureRunning();
        boolean started =
                !before.equals(captureTask.interfaces()) || !troublesBefore.equals(troubles.list());
        if (started && System.nanoTime() - createdNanos > STATUS_SECONDS * 1_000_000_000L) {
            reportStatus();
        }
    }

    /**
     * Returns memory that a peak needed to the system: the agent is a guest on the watched host.
     * The serial collector fills the heap before it collects garbage and keeps its size until then;
     * collecting 10 MB of live records takes about 20 ms, which the capture ring bridges.
     */
    private static void releaseMemory() {
        if (Runtime.getRuntime().totalMemory() > REST_HEAP_BYTES) {
            System.gc();
        }
    }

    /** Reads the logs, one second after the last time; where no server has a log, less often. */
    // The task is guarded: it reports its failures itself.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void followLogs(HostTask hostTask, Runnable look) {
        long pause = hostTask.followsLogs() ? LOGS_MILLIS : NO_LOGS_MILLIS;
        try {
            clock.schedule(
                    () -> {
                        look.run();
                        followLogs(hostTask, look);
                    },
                    pause,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // Closing: the logs are not read any more.
        }
    }

    // The tasks are guarded: they report their failures themselves.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void every(long delayMillis, long periodMillis, Runnable work) {
        clock.scheduleAtFixedRate(work, delayMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    private Runnable guarded(String task, Runnable work) {
        return () -> {
            try {
                work.run();
                troubles.clear(task + " round");
            } catch (RuntimeException | LinkageError e) {
                troubles.set(
                        task + " round",
                        task + "-failed",
                        "The " + task + " round failed: " + e,
                        null);
            }
        };
    }

    /**
     * Reports services and status again to a central service that may not have them. Any thread;
     * returns at once.
     */
    public void tellAgain() {
        try {
            clock.execute(guarded("services", () -> {
                if (host != null) {
                    host.reportAll();
                }
                watched.sightingsElsewhere(EpochMicros.now(), undiscovered).forEach(sink::accept);
                reportStatus();
            }));
        } catch (RejectedExecutionException e) {
            // Closing: the next start reports all of them.
        }
    }

    /** Reports the services on other hosts: new ones soon, all of them now and then. */
    private void reportServicesElsewhere() {
        watched.expire();
        List<ServiceSighting> sightings =
                watched.sightingsElsewhere(EpochMicros.now(), undiscovered);
        boolean repeat = System.nanoTime() - reportedElsewhereNanos
                > TimeUnit.SECONDS.toNanos(REPEAT_SECONDS);
        Set<String> names =
                sightings.stream().map(ServiceSighting::service).collect(Collectors.toSet());
        if (!names.equals(reportedElsewhere) || repeat) {
            reportedElsewhere = names;
            reportedElsewhereNanos = System.nanoTime();
            sightings.forEach(sink::accept);
        }
    }

    private void reportStatus() {
        OwnUsage.Usage own = usage.measure();
        List<SourceStatus.Drops> drops = new ArrayList<>(sinkDrops.get());
        drops.addAll(orders.drops());
        if (host != null) {
            drops.addAll(host.drops());
        }
        List<String> watching = List.of();
        if (capture != null) {
            drops.addAll(capture.drops());
            drops.addAll(watched.drops());
            watching = capture.interfaces();
        }
        String trouble = sinkTrouble.get();
        if (trouble == null) {
            troubles.clear("report");
        } else {
            troubles.set(
                    "report", "central-unreachable", "Records wait to be sent: " + trouble, null);
        }
        String identityTrouble = identity == null ? null : identity.trouble();
        if (identityTrouble == null) {
            troubles.clear("identity");
        } else {
            troubles.set("identity", "identity", identityTrouble, null);
        }
        SourceStatus status = new SourceStatus(
                settings.node(),
                SourceStatus.Kind.AGENT,
                ProductVersion.text(),
                startedMicros,
                EpochMicros.now(),
                new SourceStatus.Use(own.residentBytes(), own.cpuCores()),
                watching,
                drops,
                troubles.list(),
                orders.keyText(),
                orders.newestEpoch());
        lastStatus = status;
        sink.accept(status);
    }

    /**
     * Returns the agent's own figures. Any thread.
     *
     * @param reporter null without a central service
     */
    AgentFigures figures(@Nullable ReporterStatus reporter) {
        return new AgentFigures(
                lastStatus, capture == null ? Map.of() : capture.frames(), reporter);
    }

    /** Writes the open connections and windows and one last status; at most 4 s. */
    @Override
    public void close() {
        orders.close();
        clock.shutdown();
        try {
            if (!clock.awaitTermination(2, TimeUnit.SECONDS)) {
                clock.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (capture != null) {
            capture.close();
        }
        guarded("status", this::reportStatus).run();
        if (host != null) {
            host.close();
        }
    }
}
