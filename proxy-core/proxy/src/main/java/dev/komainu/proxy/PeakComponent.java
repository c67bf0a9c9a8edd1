package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.control.SquidPages;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.peak.PeakHistory;
import dev.komainu.proxy.peak.PeakMonitor;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The decision on peak times. Only a proxy with a disk has one: without a disk it has no effect.
 */
final class PeakComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private final StorageComponent storage;
    private final EventLoopComponent loops;
    private final ProxyReportComponent reports;
    private final SquidPages pages;
    private final ProxyClock clock;
    private @Nullable PeakMonitor monitor;

    PeakComponent(
            ProxySettings settings,
            StorageComponent storage,
            EventLoopComponent loops,
            ProxyReportComponent reports,
            SquidPages pages,
            ProxyClock clock) {
        this.settings = settings;
        this.storage = storage;
        this.loops = loops;
        this.reports = reports;
        this.pages = pages;
        this.clock = clock;
    }

    PeakMonitor get() {
        return Objects.requireNonNull(monitor);
    }

    @Override
    public void open() {
        DiskTier disk = Objects.requireNonNull(storage.disk());
        long day = settings.peak().day().toMillis();
        boolean isDay = day == Duration.ofDays(1).toMillis();
        ZoneRules rules = ZoneId.systemDefault().getRules();
        PeakHistory history = new PeakHistory(
                day,
                at -> isDay
                        ? rules.getOffset(Instant.ofEpochMilli(at)).getTotalSeconds() * 1000L
                        : 0);
        PeakMonitor opened = new PeakMonitor(
                settings.peak(),
                history,
                disk.directory().resolve("rhythm"),
                clock.wallMillis(),
                new PeakReadings(reports.windows()::latest, loops.contexts(), disk, clock),
                new PeakConsequences(disk));
        monitor = opened;
        pages.setPeak(() -> opened.view(clock.wallMillis()));
        opened.start();
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        if (change.isOf(ProxySettings::peak)) {
            get().reload(change.next().peak());
        }
    }

    @Override
    public void close() {
        get().close();
    }
}
