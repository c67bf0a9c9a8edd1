package dev.komainu.proxy.disk;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of the disk tier: locked against other processes, with a state that reports whether
 * its files are complete.
 *
 * <p>Nothing is forced to the disk while the tier works. The segments, and the purge orders in
 * them, therefore survive the end of their process but not always that of the machine. The file
 * {@code state} names the boot of the machine during which they were written, or reports that they
 * were forced to the disk at the end. In any other case each record is confirmed by its origin
 * before it is used, also by later processes: {@code state} has the number of the first segment
 * that was begun after that, too.
 */
final class DiskDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(DiskDirectory.class);
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String CLEAN = "clean";

    private final Path directory;
    private final FileChannel lock;
    private final boolean trusted;
    /** Number of the first segment whose records are used without confirmation. */
    private volatile long trustedFrom;

    private final long salt;
    private volatile boolean distrusted;

    private DiskDirectory(Path directory, FileChannel lock, State state, long salt) {
        this.salt = salt;
        this.trusted = state.isTrusted();
        this.trustedFrom = state.trustedFrom();
        this.directory = directory;
        this.lock = lock;
    }

    static DiskDirectory open(Path directory) throws IOException {
        PrivateFiles.directory(
                directory, "lock", "state", "salt", "wanted", "rhythm", "*" + Segment.SUFFIX);
        FileChannel channel = PrivateFiles.lock(
                directory,
                "cache.disk: " + directory + " (expected: a directory that no other process uses)");
        return new DiskDirectory(directory, channel, State.read(directory), salt(directory));
    }

    /**
     * The content of the file {@code state}.
     *
     * @param word boot, {@value #CLEAN}, or another word; absent in a new directory
     * @param trustedFrom number of the first segment of which this is true
     */
    private record State(@Nullable String word, long trustedFrom) {

        static State read(Path directory) throws IOException {
            Path file = directory.resolve("state");
            if (!Files.exists(file)) {
                return new State(null, 0);
            }
            String[] words = Files.readString(file).strip().split(" ", 2);
            try {
                return new State(words[0], words.length == 1 ? 0 : Long.parseLong(words[1]));
            } catch (NumberFormatException e) {
                return new State("", 0);
            }
        }

        boolean isTrusted() {
            return word == null || word.equals(CLEAN) || word.equals(boot());
        }
    }

    /**
     * Marks the directory as in use during this boot; called before the first write to a segment.
     *
     * @param next number of the next segment
     */
    void begin(long next) {
        if (!trusted) {
            trustedFrom = next;
        }
        writeState(boot());
    }

    /** Reports whether the records of a segment are used without confirmation. */
    boolean isTrusted(long segment) {
        return segment >= trustedFrom;
    }

    private static String boot() {
        try {
            return Files.readString(BOOT).strip();
        } catch (IOException absent) {
            return "unknown";
        }
    }

    /**
     * Returns the number in the file {@code salt}, which is created once. Without it no record in
     * the directory can be read.
     */
    private static long salt(Path directory) throws IOException {
        Path file = directory.resolve("salt");
        if (Files.exists(file)) {
            try {
                return Long.parseUnsignedLong(Files.readString(file).strip(), 16);
            } catch (NumberFormatException e) {
                LOG.warn("Disk tier: salt: not a number; the existing records cannot be read");
            }
        }
        long created = new SecureRandom().nextLong();
        PrivateFiles.replace(file, bytes(Long.toUnsignedString(created, 16)));
        return created;
    }

    /**
     * Returns the secret part of each record's checksum, unknown to clients that can write a body.
     */
    long salt() {
        return salt;
    }

    Path directory() {
        return directory;
    }

    boolean isTrusted() {
        return trusted;
    }

    /** Marks the directory's records as untrusted for the next process. */
    void distrust() {
        distrusted = true;
        Thread.ofVirtual().start(() -> writeState("distrusted"));
    }

    private void writeState(String state) {
        try {
            PrivateFiles.replace(directory.resolve("state"), bytes(state + " " + trustedFrom));
        } catch (IOException e) {
            LOG.warn("Disk tier: state: {}", e.getMessage());
        }
    }

    private static byte[] bytes(String line) {
        return (line + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Releases the directory.
     *
     * @param complete whether everything written is on the disk
     */
    void close(boolean complete) {
        if (complete && !distrusted) {
            writeState(CLEAN);
        }
        try {
            lock.close();
        } catch (IOException e) {
            LOG.warn("Disk tier: lock: {}", e.getMessage());
        }
    }
}
