package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.BacklogDrops;
import dev.komainu.agent.host.linux.CpuEventCounts;
import dev.komainu.agent.host.linux.CpuThrottles;
import dev.komainu.agent.host.linux.DiskArrays;
import dev.komainu.agent.host.linux.DriveErrorCounts;
import dev.komainu.agent.host.linux.FileSpace;
import dev.komainu.agent.host.linux.KernelClock;
import dev.komainu.agent.host.linux.MemoryErrorCounts;
import dev.komainu.agent.host.linux.MemoryModules;
import dev.komainu.agent.host.linux.NetworkCards;
import dev.komainu.agent.host.linux.PartsWatch;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.agent.host.linux.Temperatures;
import dev.komainu.agent.host.linux.Volumes;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostParts.Card;
import dev.komainu.telemetry.record.HostParts.Drive;
import dev.komainu.telemetry.record.HostParts.Fan;
import dev.komainu.telemetry.record.HostParts.MemoryModule;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The parts of this host, read on a thread of its own: a disk that does not respond blocks the call
 * for its file system, and host samples must go on meanwhile. Every ten seconds, every second while
 * a state is in doubt, and when a link changes, it reads what may break (links, file systems,
 * sensors, the clock) from {@code /sys} and the kernel; once a minute it asks OSHI for the
 * hardware. Linux only.
 */
public final class PartsSurvey implements AutoCloseable {

    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long HARDWARE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ScheduledExecutorService thread = thread();
    private final Volumes volumes;
    private final NetworkCards cards;
    private final CpuThrottles throttles;
    private final MemoryErrorCounts memoryErrors;
    private final DriveErrorCounts driveErrors;
    private final CpuEventCounts cpuEvents;
    private final BacklogDrops backlog;
    private final @Nullable SmartHealth smart;
    private final PartsWatch watch;
    private final Path sys;
    private final Set<String> noticed = ConcurrentHashMap.newKeySet();
    private volatile @Nullable HostParts newest;
    private volatile boolean inDoubt;

    // The thread's own.
    private Hardware hardware = Hardware.NONE;
    private @Nullable HardwareFacts facts;
    private long hardwareNanos;
    private long lookedNanos;

    /** The parts that are asked for once a minute. */
    private record Hardware(
            @Nullable String board,
            List<Fan> fans,
            List<MemoryModule> modules,
            List<Drive> drives,
            Map<String, String> cardModels) {

        static final Hardware NONE = new Hardware(null, List.of(), List.of(), List.of(), Map.of());
    }

    /**
     * Creates a survey that is not started.
     *
     * @param asksDisks whether smartctl may be started for the disks' own verdict
     */
    public PartsSurvey(boolean asksDisks) {
        this(ProcFiles.ofThisHost(), Path.of("/sys"), asksDisks ? SmartHealth.ofThisHost() : null);
    }

    PartsSurvey(ProcFiles proc, Path sys, @Nullable SmartHealth smart) {
        this.sys = sys;
        this.smart = smart;
        this.volumes = new Volumes(proc, sys, FileSpace::of);
        this.cards = new NetworkCards(sys);
        this.throttles = new CpuThrottles(sys);
        this.memoryErrors = new MemoryErrorCounts(sys);
        this.driveErrors = new DriveErrorCounts(sys);
        this.cpuEvents = new CpuEventCounts(proc);
        this.backlog = new BacklogDrops(proc);
        this.watch = new PartsWatch(proc, sys);
    }

    private static ScheduledExecutorService thread() {
        return new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("komainu-hardware").daemon().factory());
    }

    // The task catches its failures.
    @SuppressWarnings("FutureReturnValueIgnored")
    public void start() {
        thread.scheduleWithFixedDelay(this::turn, 0, 1, TimeUnit.SECONDS);
        if (smart != null) {
            smart.start();
        }
    }

    /**
     * Returns the newest parts; null before the first reading. Any thread.
     *
     * @param doubt whether a state is in doubt: the parts are read every second then
     */
    public @Nullable HostParts newest(boolean doubt) {
        inDoubt = doubt;
        return newest;
    }

    /** Returns the parts that changed since the last call. Any thread. */
    public List<String> takeNoticed() {
        List<String> taken = List.copyOf(noticed);
        noticed.removeAll(taken);
        return taken;
    }

    private void turn() {
        try {
            List<String> changed = watch.look();
            if (newest == null
                    || inDoubt
                    || !changed.isEmpty()
                    || System.nanoTime() - lookedNanos >= INTERVAL_NANOS) {
                newest = read();
            }
            noticed.addAll(changed);
        } catch (RuntimeException | LinkageError e) {
            // A task that throws is not run again. The parts stay those of the last reading.
            System.err.println("agent: the parts of this host cannot be read: " + e);
        }
    }

    HostParts read() {
        long now = System.nanoTime();
        long micros = lookedNanos == 0 ? 0 : (now - lookedNanos) / 1_000;
        lookedNanos = now;
        if (hardwareNanos == 0 || now - hardwareNanos >= HARDWARE_NANOS) {
            hardwareNanos = now;
            hardware = ask();
        }
        Temperatures.Reading temperatures = Temperatures.read(sys);
        List<Drive> drives = driveErrors.withErrors(hardware.drives());
        int clock = KernelClock.synchronised();
        return new HostParts(
                EpochMicros.now(),
                hardware.board(),
                temperatures.cpuCelsius(),
                hardware.fans(),
                hardware.modules(),
                smart == null ? drives : smart.withVerdicts(drives),
                cards.read().stream().map(this::withModel).toList(),
                volumes.read(),
                clock < 0 ? null : clock,
                micros,
                temperatures.sensors(),
                throttles.read(),
                DiskArrays.read(sys),
                memoryErrors.read(),
                cpuEvents.read(),
                backlog.read());
    }

    private Hardware ask() {
        HardwareFacts known = facts;
        if (known == null) {
            known = new HardwareFacts();
            facts = known;
        }
        return new Hardware(
                known.board(),
                known.fans(),
                MemoryModules.read(sys),
                known.drives(),
                known.cardModels());
    }

    private Card withModel(Card card) {
        String model = hardware.cardModels().get(card.name());
        return model == null ? card : card.withModel(model);
    }

    @Override
    public void close() {
        thread.shutdownNow();
        if (smart != null) {
            smart.close();
        }
    }
}
