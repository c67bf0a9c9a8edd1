package dev.komainu.proxy;

import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.peak.PeakMonitor;
import java.util.concurrent.TimeUnit;

/** What the disk tier does about the peak. */
final class PeakConsequences implements PeakMonitor.Consequences {

    /** Entries of the memory cache that are looked at in one quiet second. */
    private static final int STEPS = 2_000;
    /** Of a second before a usual peak, spent on bringing back what it needs. */
    private static final long BRING_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final DiskTier disk;

    PeakConsequences(DiskTier disk) {
        this.disk = disk;
    }

    @Override
    public void peak(boolean peak) {
        disk.setOpen(!peak);
        if (!peak) {
            disk.peakWorkingSet().restart();
        }
    }

    @Override
    public void remember() {
        disk.peakWorkingSet().capture();
    }

    @Override
    public void quiet() {
        disk.writeAhead(STEPS);
    }

    @Override
    public void prepare() {
        disk.peakWorkingSet().restore(BRING_NANOS);
    }
}
