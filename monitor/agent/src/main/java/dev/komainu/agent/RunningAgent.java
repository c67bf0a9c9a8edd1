package dev.komainu.agent;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.host.OwnUsage;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.ProductVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
 * The agent at work. {@link #start} returns at once; {@link #close} writes what is still followed
 * and stops. Nothing it does on its clock may end it: a look that fails is told once and tried
 * again.
 */
public final class RunningAgent implements AutoCloseable {

    private static final long STATUS_SECONDS = 10;
    private static final long REPEAT_SECONDS = 300;
    private static final long LOOK_AT_CAPTURE_SECONDS = 2;
    private static final long TIDY_SECONDS = 30;
    private static final long ORDER_KEY_SECONDS = 5;
    private static final long LOOK_LIMIT_SECONDS = 30;
    private static final long REST_HEAP_BYTES = 16 << 20;
    private static final long FIRST_SAMPLE_MILLIS = 1_000;
    private static final long LOGS_MILLIS = 1_000;
    private static final long NO_LOGS_MILLIS = 5_000;

    private final AgentSettings settings;
    private final RecordSink sink;
    private final Supplier<List<SourceStatus.Drops>> sinkDrops;
    private final Supplier<@Nullable String> sinkTrouble;
    private final long startedMicros = EpochMicros.now();
    private final OwnUsage usage = new OwnUsage();
    private final TaskProblems troubles = new TaskProblems();
    private final WatchedServices watched;
    private final @Nullable HostTask host;
    private final @Nullable HostSampleSchedule pace;
    private final @Nullable CaptureTask capture;
    private final OrderInbox orders;
    private Set<String> toldElsewhere = Set.of();
    private final long createdNanos = System.nanoTime();
    private long toldElsewhereNanos = System.nanoTime();
    private final ScheduledExecutorService clock = clock();

    /**
     * @param sink takes every record, from two threads
     * @param sinkDrops what the sink had to leave out since its start
     * @param sinkTrouble why it cannot deliver now; gives null while it can
     */
    public RunningAgent(
            AgentSettings settings,
            RecordSink sink,
            Supplier<List<SourceStatus.Drops>> sinkDrops,
            Supplier<@Nullable String> sinkTrouble) {
        this.settings = settings;
        this.sink = sink;
        this.sinkDrops = sinkDrops;
        this.sinkTrouble = sinkTrouble;
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
        this.orders = new OrderInbox(settings, sink, this::serversNow, troubles);
        this.capture = settings.captures()
                ? new CaptureTask(settings, heard(watched.before(sink)), watched, troubles)
                : null;
    }

    private static ScheduledExecutorService clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("komainu-agent").daemon().factory());
        // Else a stop waits for the next sample, up to its limit.
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return clock;
    }

    /** What came with an answer of the central service. Any thread; returns at once. */
    public void takeOrders(List<String> signed) {
        orders.take(signed);
    }

    /**
     * On the agent's own thread, as discovery demands; nothing when it is closing or takes too
     * long.
     */
    private List<DiscoveredServer> serversNow() {
        HostTask inside = host;
        if (inside == null) {
            return List.of();
        }
        try {
            return clock.submit(inside::lookNow).get(LOOK_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            return List.of();
        }
    }

    /** What packets say may be a reason to look at the host more often. */
    private RecordSink heard(RecordSink next) {
        HostSampleSchedule listening = pace;
        if (listening == null) {
            return next;
        }
        return record -> {
            if (record instanceof ServiceWindow window) {
                listening.heard(window);
            }
            next.accept(record);
        };
    }

    /**
     * At a mirror port nothing on this host tells the servers: whoever answers on these ports is
     * one.
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
        HostTask inside = host;
        HostSampleSchedule sampling = pace;
        if (inside != null && sampling != null) {
            // The first reading only remembers. Then who is there, then packets: the first already
            // finds its service.
            clock.execute(guarded("host", inside::sample));
            clock.execute(guarded("discovery", inside::look));
            sampling.start(FIRST_SAMPLE_MILLIS);
            long look = settings.discoveryInterval().toMillis();
            every(look, look, guarded("discovery", inside::look));
            followLogs(inside, guarded("access-log", inside::readLogs));
            every(
                    REPEAT_SECONDS * 1_000,
                    REPEAT_SECONDS * 1_000,
                    guarded("discovery", inside::lookAgain));
        }
        CaptureTask outside = capture;
        if (outside != null) {
            every(
                    0,
                    LOOK_AT_CAPTURE_SECONDS * 1_000,
                    guarded("capture-start", () -> lookAfter(outside)));
            if (watched.watchesElsewhere()) {
                every(1_000, 1_000, guarded("services", this::tellServicesElsewhere));
            }
        }
        if (settings.changes().allowed()) {
            every(200, ORDER_KEY_SECONDS * 1_000, guarded("orders", orders::open));
        }
        every(500, STATUS_SECONDS * 1_000, guarded("status", this::tellStatus));
        every(TIDY_SECONDS * 1_000, TIDY_SECONDS * 1_000, RunningAgent::giveMemoryBack);
    }

    /** What changes about the capture is told at once: who watches the watchers must not wait. */
    private void lookAfter(CaptureTask outside) {
        List<String> before = outside.interfaces();
        List<SourceStatus.Trouble> troublesBefore = troubles.list();
        outside.ensureRunning();
        boolean begun =
                !before.equals(outside.interfaces()) || !troublesBefore.equals(troubles.list());
        if (begun && System.nanoTime() - createdNanos > STATUS_SECONDS * 1_000_000_000L) {
            tellStatus();
        }
    }

    /**
     * A guest on the watched host returns what a rush took. The serial collector fills the heap
     * before it looks for garbage and keeps its size until then; collecting 10 MB of live records
     * takes about 20 ms, which the capture ring bridges.
     */
    private static void giveMemoryBack() {
        if (Runtime.getRuntime().totalMemory() > REST_HEAP_BYTES) {
            System.gc();
        }
    }

    /** A second from look to look; where no server has a log, nothing wakes us for one so often. */
    private void followLogs(HostTask inside, Runnable look) {
        long pause = inside.followsLogs() ? LOGS_MILLIS : NO_LOGS_MILLIS;
        try {
            clock.schedule(
                    () -> {
                        look.run();
                        followLogs(inside, look);
                    },
                    pause,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // Closing: nobody reads any more.
        }
    }

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
     * Tells what stands (services, status) to a central service that may not know it. Any thread;
     * returns at once.
     */
    public void tellAgain() {
        try {
            clock.execute(guarded("services", () -> {
                if (host != null) {
                    host.tellAgain();
                }
                watched.sightingsElsewhere(EpochMicros.now()).forEach(sink::accept);
                tellStatus();
            }));
        } catch (RejectedExecutionException e) {
            // Closing: the next start tells everything.
        }
    }

    /** New ones soon, all of them now and then. */
    private void tellServicesElsewhere() {
        watched.tidy();
        List<ServiceSighting> sightings = watched.sightingsElsewhere(EpochMicros.now());
        boolean repeat =
                System.nanoTime() - toldElsewhereNanos > TimeUnit.SECONDS.toNanos(REPEAT_SECONDS);
        Set<String> names =
                sightings.stream().map(ServiceSighting::service).collect(Collectors.toSet());
        if (!names.equals(toldElsewhere) || repeat) {
            toldElsewhere = names;
            toldElsewhereNanos = System.nanoTime();
            sightings.forEach(sink::accept);
        }
    }

    private void tellStatus() {
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
            troubles.set("report", "central-unreachable", "Records wait here: " + trouble, null);
        }
        sink.accept(new SourceStatus(
                settings.node(),
                SourceStatus.Kind.AGENT,
                ProductVersion.text(),
                startedMicros,
                EpochMicros.now(),
                own.residentBytes(),
                own.cpuCores(),
                watching,
                drops,
                troubles.list(),
                orders.keyText()));
    }

    /** Writes what is still open and one last status; at most 4 s. */
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
        guarded("status", this::tellStatus).run();
        if (host != null) {
            host.close();
        }
    }
}
