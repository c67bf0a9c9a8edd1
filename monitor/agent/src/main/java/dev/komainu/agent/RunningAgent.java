package dev.komainu.agent;

import dev.komainu.agent.host.OwnUsage;
import dev.komainu.agent.settings.AgentSettings;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The agent at work. {@link #start} returns at once; {@link #close} writes what is still followed and stops. Nothing it
 * does on its clock may end it: a look that fails is told once and tried again.
 */
public final class RunningAgent implements AutoCloseable {

    private static final long STATUS_SECONDS = 10;
    private static final long REPEAT_SECONDS = 300;
    private static final long FIRST_SAMPLE_MILLIS = 1_000;

    private final AgentSettings settings;
    private final RecordSink sink;
    private final Supplier<List<SourceStatus.Drops>> sinkDrops;
    private final long startedMicros = HostRound.nowMicros();
    private final OwnUsage usage = new OwnUsage();
    private final Troubles troubles = new Troubles();
    private final WatchedServices watched;
    private final HostRound host;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("komainu-agent").daemon().factory());

    /**
     * @param sink takes every record, from two threads
     * @param sinkDrops what the sink had to leave out since its start
     */
    public RunningAgent(AgentSettings settings, RecordSink sink, Supplier<List<SourceStatus.Drops>> sinkDrops) {
        this.settings = settings;
        this.sink = sink;
        this.sinkDrops = sinkDrops;
        Set<Integer> given = new HashSet<>(settings.ports());
        given.addAll(settings.alsoPorts());
        this.watched = new WatchedServices(settings.node(), given, settings.services());
        this.host = new HostRound(settings, sink, watched, troubles);
    }

    public void start() {
        if (settings.samplesHost()) {
            clock.execute(guarded("discovery", host::look));
            clock.execute(guarded("host", host::sample));
            every(FIRST_SAMPLE_MILLIS, settings.hostInterval().toMillis(), guarded("host", host::sample));
            long look = settings.discoveryInterval().toMillis();
            every(look, look, guarded("discovery", host::look));
            every(REPEAT_SECONDS * 1_000, REPEAT_SECONDS * 1_000, guarded("discovery", host::lookAgain));
        }
        every(0, STATUS_SECONDS * 1_000, guarded("status", this::tellStatus));
    }

    private void every(long delayMillis, long periodMillis, Runnable work) {
        clock.scheduleAtFixedRate(work, delayMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    private Runnable guarded(String what, Runnable work) {
        return () -> {
            try {
                work.run();
                troubles.clear(what + "-failed");
            } catch (RuntimeException | LinkageError e) {
                troubles.add(what + "-failed", "The " + what + " round failed: " + e, null);
            }
        };
    }

    private void tellStatus() {
        OwnUsage.Usage own = usage.look();
        List<SourceStatus.Drops> drops = new ArrayList<>(sinkDrops.get());
        sink.accept(new SourceStatus(
                settings.node(),
                SourceStatus.Kind.AGENT,
                AgentVersion.text(),
                startedMicros,
                HostRound.nowMicros(),
                own.residentBytes(),
                own.cpuCores(),
                List.of(),
                drops,
                troubles.list()));
    }

    @Override
    public void close() {
        clock.shutdown();
        try {
            if (!clock.awaitTermination(2, TimeUnit.SECONDS)) {
                clock.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        guarded("status", this::tellStatus).run();
        host.close();
    }
}
