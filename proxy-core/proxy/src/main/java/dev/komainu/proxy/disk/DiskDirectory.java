package dev.komainu.proxy.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tier's directory: one process at a time, and whether what lies there is all that was ever
 * written.
 *
 * <p>Nothing is forced to the disk while it works, so the segments survive the death of their
 * process but not always that of the machine; the orders among them neither. The file {@code state}
 * names the boot of the machine during which they were written and whether they were forced in the
 * end. If neither this boot nor such an end, no record is used before its origin confirmed it.
 */
final class DiskDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(DiskDirectory.class);
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String CLEAN = "clean";

    private final Path directory;
    private final FileChannel lock;
    private final boolean trusted;
    private final long salt;
    private volatile boolean distrusted;

    private DiskDirectory(Path directory, FileChannel lock, boolean trusted, long salt) {
        this.salt = salt;
        this.directory = directory;
        this.lock = lock;
        this.trusted = trusted;
    }

    static DiskDirectory open(Path directory) throws IOException {
        Files.createDirectories(directory);
        FileChannel channel = FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (!taken(channel)) {
            channel.close();
            throw new IOException("cache.disk: " + directory
                    + " (expected: a directory that no other process uses)");
        }
        DiskDirectory home =
                new DiskDirectory(directory, channel, isTrusted(state(directory)), salt(directory));
        home.note(boot());
        return home;
    }

    private static boolean taken(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static boolean isTrusted(@Nullable String state) {
        return state == null || state.equals(CLEAN) || state.equals(boot());
    }

    private static @Nullable String state(Path directory) throws IOException {
        Path file = directory.resolve("state");
        return Files.exists(file) ? Files.readString(file).strip() : null;
    }

    private static String boot() {
        try {
            return Files.readString(BOOT).strip();
        } catch (IOException absent) {
            return "unknown";
        }
    }

    /** Made once; without it nothing that lies there can be read. */
    private static long salt(Path directory) throws IOException {
        Path file = directory.resolve("salt");
        if (Files.exists(file)) {
            try {
                return Long.parseUnsignedLong(Files.readString(file).strip(), 16);
            } catch (NumberFormatException e) {
                LOG.warn("Disk tier: salt: no number; what lies there cannot be read");
            }
        }
        long fresh = new SecureRandom().nextLong();
        Files.writeString(file, Long.toUnsignedString(fresh, 16) + "\n");
        return fresh;
    }

    /** Part of each record's checksum, known to nobody who could write into a body. */
    long salt() {
        return salt;
    }

    Path directory() {
        return directory;
    }

    boolean isTrusted() {
        return trusted;
    }

    /** What is here is not to be believed by the next process. */
    void distrust() {
        distrusted = true;
        Thread.ofVirtual().start(() -> note("distrusted"));
    }

    private void note(String state) {
        try {
            Files.writeString(directory.resolve("state"), state + "\n");
        } catch (IOException e) {
            LOG.warn("Disk tier: state: {}", e.getMessage());
        }
    }

    /** @param whole all that was written is on the disk */
    void close(boolean whole) {
        if (whole && !distrusted) {
            note(CLEAN);
        }
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("Disk tier: lock: {}", e.getMessage());
        }
    }
}
