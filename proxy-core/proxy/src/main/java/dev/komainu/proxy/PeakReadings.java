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
 * Reads a second of this proxy for the peak's watch. One thread.
 *
 * <p>At the peak the disk does not work, so how busy it would be is reckoned from the records that
 * were wanted, and from how long one took when it did.
 */
final class PeakReadings implements Supplier<SecondReading> {

    /** Of the mean time that a read takes: a tenth of each second's. */
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

    /** Asks one loop how late it comes. */
    private static final class Probe {
        private final LoopContext worker;
        private long askedNanos;
        private volatile long tookNanos;
        private volatile boolean waiting;

        Probe(LoopContext worker) {
            this.worker = worker;
        }

        /** How late it came to the last question, or is already. Asks the next one. */
        long lateNanos() {
            long now = System.nanoTime();
            if (waiting) {
                return now - askedNanos;
            }
            long took = tookNanos;
            askedNanos = now;
            waiting = true;
            try {
                worker.loop().execute(() -> {
                    tookNanos = System.nanoTime() - now;
                    waiting = false;
                });
            } catch (RejectedExecutionException stopping) {
                waiting = false;
            }
            return took;
        }
    }

    PeakReadings(
            Supplier<ProxySnapshot> figures,
            List<LoopContext> workers,
            DiskTier disk,
            ProxyClock clock) {
        this.figures = figures;
        this.disk = disk;
        this.clock = clock;
        this.probes = workers.stream().map(Probe::new).toList();
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
        double capacity = Math.max(1.0, nanos - nanosBefore) * load.threads();
        long worked = load.busyNanos() - busyBefore;
        if (load.reads() > 0) {
            double each = (double) worked / load.reads();
            readNanos = readNanos == 0 ? each : readNanos + WEIGHT * (each - readNanos);
        }
        double wanted = (load.refusedAtPeak() - refusedBefore) * readNanos;
        nanosBefore = nanos;
        busyBefore = load.busyNanos();
        refusedBefore = load.refusedAtPeak();
        return (worked + wanted) / capacity;
    }
}
