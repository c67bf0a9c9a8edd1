package dev.komainu.proxy;

import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.peak.PeakMonitor;
import java.util.concurrent.TimeUnit;

/** The actions of the disk tier at peak times. */
final class PeakConsequences implements PeakMonitor.Consequences {

    /** The entries of the memory cache that are checked in one quiet second. */
    private static final int STEPS = 2_000;
    /** The time per second before a usual peak that is used to read back the objects it needs. */
    private static final long READ_BACK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

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
        disk.peakWorkingSet().restore(READ_BACK_NANOS);
    }
}
