package dev.komainu.central.alert;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The used share of a directory's file system. {@link AlertKeeper}'s thread reads it, since a disk
 * that hangs blocks the reading thread; any thread may read the newest value.
 */
final class DiskUse {

    /**
     * The size of a file system, in bytes.
     *
     * @param totalBytes size of the file system
     * @param freeBytes space this process can still use
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

    void measure() {
        try {
            FileStore store = Files.getFileStore(existing(directory));
            newest = new Figures(store.getTotalSpace(), store.getUsableSpace());
        } catch (IOException e) {
            newest = null; // unknown: neither full nor free
        }
    }

    /** Returns the nearest directory that exists: with ClickHouse there is none of day files. */
    private static Path existing(Path directory) {
        Path parent = directory.getParent();
        return Files.exists(directory) || parent == null ? directory : existing(parent);
    }

    /** Returns the newest measurement; {@code null} before the first and after a failed one. */
    @Nullable
    Figures newest() {
        return newest;
    }
}
