package dev.komainu.central.room;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that occupies room on a disk, and is deleted when control data needs that room. Any
 * thread: one lock, so that a write that fails while the file is being written waits for its end
 * and then deletes it.
 *
 * <p>Its content is random, because a file system that compresses, or stores no zeros, would
 * reserve nothing otherwise.
 */
public final class Reserve {

    static final String NAME = "reserve";

    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);
    private static final int PIECE = 1 << 20;

    private final Path file;
    private final long bytes;
    /** Guarded by this. */
    private boolean held;
    /** Guarded by this. */
    private long givenBack;

    private volatile boolean ending;

    /** Finds the reserve of a directory, which may not exist yet. */
    public Reserve(Path directory, long bytes) {
        this.file = directory.resolve(NAME);
        this.bytes = bytes;
        this.held = size() >= bytes;
    }

    private long size() {
        try {
            return Files.exists(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    Path file() {
        return file;
    }

    long bytes() {
        return bytes;
    }

    /** Reports whether the room is reserved now. */
    public synchronized boolean isHeld() {
        return held;
    }

    /** Returns how often the room was given back. */
    synchronized long givenBack() {
        return givenBack;
    }

    /** Gives the room back. Returns false when there was none, or the file cannot be deleted. */
    synchronized boolean giveBack() {
        if (!held) {
            return false;
        }
        held = false;
        try {
            // A copy-on-write file system needs room for a deletion, and less for a truncation.
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            Files.delete(file);
        } catch (IOException e) {
            LOG.error("Reserve: {} cannot be given back: {}", file, e.toString());
            return false;
        }
        givenBack++;
        LOG.warn(
                "Reserve: {} MB are given back, because the disk of {} is full",
                bytes >> 20,
                file.getParent());
        return true;
    }

    /**
     * Reserves the room.
     *
     * @throws IOException when the disk has not as much; then nothing is reserved
     */
    synchronized void take() throws IOException {
        if (held) {
            return;
        }
        try (FileChannel channel = PrivateFiles.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            byte[] random = new byte[PIECE];
            new SplittableRandom().nextBytes(random);
            for (long at = 0; at < bytes; ) {
                ByteBuffer piece =
                        ByteBuffer.wrap(random, 0, (int) Math.min(random.length, bytes - at));
                // Equal pieces could be stored once.
                piece.putLong(0, at);
                while (piece.hasRemaining()) {
                    at += channel.write(piece);
                }
            }
            channel.force(true);
            held = true;
        } finally {
            if (!held) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Ends the wait of writes for room: they fail from now on. */
    void end() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }
}
