package dev.komainu.agent.host;

import dev.komainu.agent.host.linux.CpuTemperature;
import dev.komainu.agent.host.linux.FileSpace;
import dev.komainu.agent.host.linux.KernelClock;
import dev.komainu.agent.host.linux.MemoryModules;
import dev.komainu.agent.host.linux.NetworkCards;
import dev.komainu.agent.host.linux.ProcFiles;
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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The parts of this host, read on a thread of its own: a disk that does not respond blocks the call
 * for its file system, and host samples must go on meanwhile. Every ten seconds it reads what may
 * break (links, file systems, the clock) from {@code /sys} and the kernel; once a minute it asks
 * OSHI for the hardware. Linux only.
 */
public final class PartsSurvey implements AutoCloseable {

    private static final long LOOK_SECONDS = 10;
    private static final int LOOKS_PER_HARDWARE = 6;

    private final ScheduledExecutorService thread = thread();
    private final Volumes volumes;
    private final NetworkCards cards;
    private final Path sys;
    private volatile @Nullable HostParts newest;

    // The thread's own.
    private Hardware hardware = Hardware.NONE;
    private @Nullable HardwareFacts facts;
    private int looks;

    /** The parts that are asked for once a minute. */
    private record Hardware(
            @Nullable String board,
            @Nullable Double cpuCelsius,
            List<Fan> fans,
            List<MemoryModule> modules,
            List<Drive> drives,
            Map<String, String> cardModels) {

        static final Hardware NONE =
                new Hardware(null, null, List.of(), List.of(), List.of(), Map.of());
    }

    /** Creates a survey that is not started. */
    public PartsSurvey() {
        ProcFiles files = ProcFiles.ofThisHost();
        this.sys = Path.of("/sys");
        this.volumes = new Volumes(files, sys, FileSpace::of);
        this.cards = new NetworkCards(sys);
    }

    private static ScheduledExecutorService thread() {
        return new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("komainu-hardware").daemon().factory());
    }

    // The task catches its failures.
    @SuppressWarnings("FutureReturnValueIgnored")
    public void start() {
        thread.scheduleWithFixedDelay(this::look, 0, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the newest parts; null before the first reading. Any thread. */
    public @Nullable HostParts newest() {
        return newest;
    }

    private void look() {
        try {
            newest = read();
        } catch (RuntimeException | LinkageError e) {
            // A task that throws is not run again. The parts stay those of the last reading.
            System.err.println("agent: the parts of this host cannot be read: " + e);
        }
    }

    HostParts read() {
        if (looks++ % LOOKS_PER_HARDWARE == 0) {
            hardware = ask();
        }
        int clock = KernelClock.synchronised();
        return new HostParts(
                EpochMicros.now(),
                hardware.board(),
                hardware.cpuCelsius(),
                hardware.fans(),
                hardware.modules(),
                hardware.drives(),
                cards.read().stream().map(this::withModel).toList(),
                volumes.read(),
                clock < 0 ? null : clock);
    }

    private Hardware ask() {
        HardwareFacts known = facts;
        if (known == null) {
            known = new HardwareFacts();
            facts = known;
        }
        return new Hardware(
                known.board(),
                CpuTemperature.read(sys),
                known.fans(),
                MemoryModules.read(sys),
                known.drives(),
                known.cardModels());
    }

    private Card withModel(Card card) {
        String model = hardware.cardModels().get(card.name());
        return model == null
                ? card
                : new Card(
                        card.name(),
                        model,
                        card.speedBitsPerSecond(),
                        card.fastestBitsPerSecond(),
                        card.linkDown(),
                        card.linkChanges(),
                        card.errors());
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
