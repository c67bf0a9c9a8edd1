package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.purge.Purger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses: memory, the disk behind it, the fetches that store, and the purges of all
 * three.
 */
final class StorageComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private final ProxyClock clock;
    private final MemoryCache memory;
    private final InFlightFetches inFlight = new InFlightFetches();
    private @Nullable DiskTier disk;
    private @Nullable Purger purger;

    StorageComponent(ProxySettings settings, ProxyClock clock) {
        this.settings = settings;
        this.clock = clock;
        this.memory = new MemoryCache(settings.cache());
    }

    MemoryCache memory() {
        return memory;
    }

    InFlightFetches inFlight() {
        return inFlight;
    }

    /** Returns the disk tier; null when there is none. */
    @Nullable
    DiskTier disk() {
        return disk;
    }

    Purger purger() {
        return Objects.requireNonNull(purger);
    }

    @Override
    public void open() throws IOException {
        Path directory = settings.disk().directory();
        if (directory != null) {
            disk = DiskTier.open(settings.disk(), directory, memory, clock);
        }
        purger = new Purger(memory, disk, inFlight, clock);
    }

    @Override
    public void apply(SettingsChange<ProxySettings> change) {
        memory.reload(change.next().cache());
        if (disk != null) {
            disk.reload(change.next().disk());
        }
    }

    @Override
    public void close() {
        purger().close();
        if (disk != null) {
            disk.close();
        }
        memory.clear();
    }
}
