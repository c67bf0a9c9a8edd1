package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.peak.SecondReading;
import dev.komainu.proxy.report.ProxySnapshot;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * The readings of one second of this proxy for the peak monitor. One thread.
 *
 * <p>At the peak the disk is not used. Its utilisation is then estimated from the number of records
 * requested and the time that one read took before.
 */
final class PeakReadings implements Supplier<SecondReading> {

    /** The weight of each second in the mean time of a read. */
    private static final double WEIGHT = 0.1;

    private final Supplier<ProxySnapshot> figures;
    private final DiskTier disk;
    private final ProxyClock clock;
    private final List<Probe> probes;
    private long requestsBefore;
    private long microsBefore;
    private double arrivals;
    private long busyBefore;
    private long refusedBefore;
    private long nanosBefore = System.nanoTime();
    private double readNanos;

    /** A measurement of one loop's delay. */
    private static final class Probe {
        private final LoopContext context;
        private long startNanos;
        private volatile long delayNanos;
        private volatile boolean waiting;

        Probe(LoopContext context) {
            this.context = context;
        }

        /**
         * Returns the delay of the last probe, or the present delay of one that still waits, in
         * nanoseconds. Starts the next probe.
         */
        long lateNanos() {
            long now = System.nanoTime();
            if (waiting) {
                return now - startNanos;
            }
            long delay = delayNanos;
            startNanos = now;
            waiting = true;
            try {
                context.loop().execute(() -> {
                    delayNanos = System.nanoTime() - now;
                    waiting = false;
                });
            } catch (RejectedExecutionException stopping) {
                waiting = false;
            }
            return delay;
        }
    }

    PeakReadings(
            Supplier<ProxySnapshot> figures,
            List<LoopContext> contexts,
            DiskTier disk,
            ProxyClock clock) {
        this.figures = figures;
        this.disk = disk;
        this.clock = clock;
        this.probes = contexts.stream().map(Probe::new).toList();
    }

    @Override
    public SecondReading get() {
        ProxySnapshot now = figures.get();
        long micros = now.atMicros() - microsBefore;
        if (microsBefore > 0 && micros > 0) {
            arrivals = (now.counters().requests - requestsBefore) * 1e6 / micros;
        }
        requestsBefore = now.counters().requests;
        microsBefore = now.atMicros();
        long late = 0;
        for (Probe probe : probes) {
            late = Math.max(late, probe.lateNanos());
        }
        DiskTier.Load load = disk.load();
        return new SecondReading(
                clock.wallMillis(),
                arrivals,
                load.reads(),
                load.readP95Micros() / 1e3,
                load.queue(),
                busy(load),
                late / 1e6);
    }

    private double busy(DiskTier.Load load) {
        long nanos = System.nanoTime();
        double capacity = Math.max(1.0, (double) (nanos - nanosBefore)) * load.threads();
        long worked = load.busyNanos() - busyBefore;
        if (load.reads() > 0) {
            double mean = (double) worked / load.reads();
            readNanos = readNanos == 0 ? mean : readNanos + WEIGHT * (mean - readNanos);
        }
        double refusedTime = (load.refusedAtPeak() - refusedBefore) * readNanos;
        nanosBefore = nanos;
        busyBefore = load.busyNanos();
        refusedBefore = load.refusedAtPeak();
        return (worked + refusedTime) / capacity;
    }
}
