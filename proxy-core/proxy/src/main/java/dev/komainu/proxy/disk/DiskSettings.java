package dev.komainu.proxy.disk;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the disk tier.
 *
 * @param directory directory used only for its files; null: no disk tier
 * @param bytes limit of all its files, 64 MB to 1 TB
 * @param delay added to each read of a record, 0 to 10 s (0): imitates a slow disk in experiments
 */
public record DiskSettings(@Nullable Path directory, long bytes, Duration delay) {

    private static final long MIN_BYTES = 64L << 20;
    private static final long MAX_BYTES = 1L << 40;

    public static final Setting<DiskLocation> DISK = Setting.of(
                    "cache.disk", "DIR:SIZE with 64MB to 1024GB", DiskLocation::parse)
            .orNone()
            .option("--disk")
            .label("DIR:SIZE")
            .atStart("the disk's index is built at the start")
            .effect("Second cache tier on disk, used off-peak only, for responses evicted from "
                    + "memory")
            .detail("""
                    SIZE limits the sum of its segments and must be available in DIR at the start.
                    See [The disk and the peak](#the-disk-and-the-peak).""");

    static final Setting<Duration> DELAY = Setting.duration("cache.disk-delay", "0", "10s")
            .byDefault("0")
            .effect("For experiments only: time added to each read of the disk tier, on its "
                    + "own threads");

    public static final DiskSettings NONE = read(SettingReader.ofDefaults());

    /** Reads these settings; errors are recorded in the reader. */
    public static DiskSettings read(SettingReader reader) {
        DiskLocation place = reader.find(DISK);
        return place == null
                ? new DiskSettings(null, MIN_BYTES, reader.get(DELAY))
                : new DiskSettings(place.directory(), place.bytes(), reader.get(DELAY));
    }

    public boolean isOn() {
        return directory != null;
    }

    /** Returns the bytes of one segment. */
    public long segmentBytes() {
        return Math.clamp(bytes / 64, 4 << 20, 1 << 30);
    }

    /**
     * Adds "name: value (expected …)" for each value out of range, and for a directory that cannot
     * be used.
     */
    public void check(List<String> problems) {
        Path path = directory;
        if (path == null) {
            return;
        }
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            problems.add("cache.disk: " + path + ":" + bytes
                    + " (expected: DIR:SIZE with 64MB to 1024GB)");
            return;
        }
        Path nearest = path.toAbsolutePath();
        while (!Files.exists(nearest) && nearest.getParent() != null) {
            nearest = nearest.getParent();
        }
        if (!Files.isDirectory(nearest) || !Files.isWritable(nearest)) {
            problems.add("cache.disk: " + path + " (expected: a directory that can be written to)");
            return;
        }
        long free = nearest.toFile().getUsableSpace()
                + (nearest.equals(path.toAbsolutePath()) ? occupiedBytes(path) : 0);
        if (free < bytes) {
            problems.add("cache.disk: " + path + ":" + bytes + " (expected: at most the " + free
                    + " bytes free there)");
        }
    }

    /** Returns the bytes already occupied by segments. */
    private static long occupiedBytes(Path path) {
        File[] files = path.toFile().listFiles();
        long sum = 0;
        if (files != null) {
            for (File file : files) {
                sum += file.getName().endsWith(Segment.SUFFIX) ? file.length() : 0;
            }
        }
        return sum;
    }
}
