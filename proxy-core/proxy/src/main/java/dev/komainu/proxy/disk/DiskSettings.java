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
 * What tunes the disk tier.
 *
 * @param directory where its files lie, and nothing else; absent: no disk tier
 * @param bytes cap of all its files, 64 MB to 1 TB
 * @param delay added to each read of a record, 0 to 10 s (0): to play a slow disk in experiments,
 *     for nothing else
 */
public record DiskSettings(@Nullable Path directory, long bytes, Duration delay) {

    private static final long LEAST = 64L << 20;
    private static final long MOST = 1L << 40;

    public static final Setting<DiskLocation> DISK = Setting.of(
                    "cache.disk", "DIR:SIZE with 64MB to 1024GB", DiskLocation::parse)
            .orNone()
            .option("--disk")
            .label("DIR:SIZE")
            .atStart("the disk's index is made at the start")
            .effect("""
                    a second place for stored answers, used off-peak only: what memory has no room for. SIZE caps all its segments and must be
                    free there at the start. See [The disk and the peak](#the-disk-and-the-peak)""");

    static final Setting<Duration> DELAY = Setting.duration("cache.disk-delay", "0", "10s")
            .byDefault("0")
            .effect(
                    "**for experiments only**: added to each read of the disk tier, on its own threads");

    public static final DiskSettings NONE = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static DiskSettings read(SettingReader reader) {
        DiskLocation place = reader.find(DISK);
        return place == null
                ? new DiskSettings(null, LEAST, reader.get(DELAY))
                : new DiskSettings(place.directory(), place.bytes(), reader.get(DELAY));
    }

    public boolean isOn() {
        return directory != null;
    }

    /** Bytes of one segment. */
    public long segmentBytes() {
        return Math.clamp(bytes / 64, 4 << 20, 1 << 30);
    }

    /**
     * Adds "name: value (expected …)" for each value out of range, and for a directory that could
     * not be used.
     */
    public void check(List<String> problems) {
        Path path = directory;
        if (path == null) {
            return;
        }
        if (bytes < LEAST || bytes > MOST) {
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
                + (nearest.equals(path.toAbsolutePath()) ? taken(path) : 0);
        if (free < bytes) {
            problems.add("cache.disk: " + path + ":" + bytes + " (expected: at most the " + free
                    + " bytes free there)");
        }
    }

    /** Bytes that segments take already. */
    private static long taken(Path path) {
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
