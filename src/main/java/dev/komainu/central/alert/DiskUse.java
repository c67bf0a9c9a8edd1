package dev.komainu.central.alert;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The used share of a directory's file system. {@link AlertKeeper}'s thread reads it, since a disk
 * that hangs blocks the reading thread; any thread may get the newest value.
 */
final class DiskUse {

    /**
     * @param totalBytes of the file system; @param freeBytes what this process may still use of it
     */
    record Figures(long totalBytes, long freeBytes) {
        double usedShare() {
            return totalBytes <= 0 ? 0 : 1 - (double) freeBytes / totalBytes;
        }
    }

    private final Path directory;
    private volatile @Nullable Figures newest;

    DiskUse(Path directory) {
        this.directory = directory;
    }

    void look() {
        try {
            FileStore store = Files.getFileStore(directory);
            newest = new Figures(store.getTotalSpace(), store.getUsableSpace());
        } catch (IOException e) {
            newest = null; // cannot be seen: neither full nor not
        }
    }

    /** Absent before the first look and when it failed. */
    @Nullable
    Figures newest() {
        return newest;
    }
}
