package dev.komainu.proxy.disk;

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
 * @param delay added to each read of a record, 0 to 10 s (0): to play a slow disk in experiments, for nothing else
 */
public record DiskSettings(@Nullable Path directory, long bytes, Duration delay) {

    public static final DiskSettings NONE = new DiskSettings(null, 64L << 20, Duration.ZERO);

    private static final long LEAST = 64L << 20;
    private static final long MOST = 1L << 40;

    public boolean isOn() {
        return directory != null;
    }

    /** Bytes of one segment. */
    public long segmentBytes() {
        return Math.clamp(bytes / 64, 4 << 20, 1 << 30);
    }

    /** Adds "name: value (expected …)" for each value out of range, and for a directory that could not be used. */
    public void check(List<String> problems) {
        if (delay.isNegative() || delay.toSeconds() > 10) {
            problems.add("cache.disk-delay: " + delay.toMillis() + " ms (expected: 0 to 10000)");
        }
        Path path = directory;
        if (path == null) {
            return;
        }
        if (bytes < LEAST || bytes > MOST) {
            problems.add("cache.disk: " + path + ":" + bytes + " (expected: DIR:SIZE with 64MB to 1024GB)");
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
        long free = nearest.toFile().getUsableSpace() + (nearest.equals(path.toAbsolutePath()) ? taken(path) : 0);
        if (free < bytes) {
            problems.add(
                    "cache.disk: " + path + ":" + bytes + " (expected: at most the " + free + " bytes free there)");
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
