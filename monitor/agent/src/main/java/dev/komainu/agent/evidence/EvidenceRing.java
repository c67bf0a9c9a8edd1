package dev.komainu.agent.evidence;

import dev.komainu.agent.packet.LinkType;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Ring of recent packets in two alternating files: {@code FILE} grows to half of the size, then
 * becomes {@code FILE.1} in one step and a new {@code FILE} begins. So at any instant both are
 * whole capture files, together they contain at least the newest half of the size, and never more
 * than the size.
 *
 * <p>The reason against one file overwritten in place: a capture file is read from its beginning,
 * so a ring inside it is readable only after a program has reordered it, which a killed process
 * cannot do. Records are collected in memory and written many at once, always whole, at the latest
 * after {@value #FLUSH_MICROS} µs: {@code kill -9} loses only the records not written yet. If it
 * comes in the middle of a write, readers find a last record that is cut, and the next start
 * removes that record. Every {@value #FORCE_SECONDS} s what was written is forced to the disk, by
 * another thread: a loss of power damages at most the records after that, and the next start
 * removes them from the first one on that is damaged.
 *
 * <p>A start continues the existing files: the packets before a crash are still there after it. Any
 * thread; mostly one.
 */
public final class EvidenceRing implements AutoCloseable {

    static final int FLUSH_MICROS = 200_000;
    static final int FORCE_SECONDS = 10;
    private static final long FORCE_MICROS = FORCE_SECONDS * 1_000_000L;
    private static final int BUFFER = 256 << 10;
    private static final long RETRY_MICROS = 30_000_000;

    private final EvidenceSettings config;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(BUFFER, 8);
    private final ByteBuffer buffer = memory.asByteBuffer();
    private final AtomicLong lost = new AtomicLong();
    private final Executor forcing;
    private final AtomicBoolean isForcing = new AtomicBoolean();
    private volatile @Nullable String trouble;

    // Guarded by this.
    private FileChannel channel;
    private long written;
    private int filled;
    private int waiting;
    private long oldestMicros;
    private long lastMicros;
    private long brokenMicros = Long.MIN_VALUE;
    private long forcedMicros = Long.MIN_VALUE;
    private boolean closed;

    private EvidenceRing(EvidenceSettings config, Executor forcing) throws IOException {
        this.config = config;
        this.forcing = forcing;
        if (Files.exists(config.older())) {
            if (Files.exists(config.file()) && Files.isSameFile(config.file(), config.older())) {
                // A rotation was interrupted between its two renames.
                Path next = fresh(config.file());
                begin(next).close();
                Files.move(next, config.file(), StandardCopyOption.ATOMIC_MOVE);
            }
            resume(config.older(), mayHoldZeros()).close();
        }
        this.channel = resume(config.file(), mayHoldZeros());
        this.written = channel.size();
        if (written > config.bytes() / 2) {
            rotate();
        }
    }

    /**
     * Opens the files, or creates them.
     *
     * @throws IOException when the directory cannot be written, or the file was not written by an
     *     agent
     */
    public static EvidenceRing open(EvidenceSettings config) throws IOException {
        return open(
                config,
                force -> Thread.ofPlatform().daemon().name("komainu-evidence").start(force));
    }

    /**
     * Opens the files, or creates them.
     *
     * @param forcing runs the forces, each of which may take as long as the disk is slow
     */
    static EvidenceRing open(EvidenceSettings config, Executor forcing) throws IOException {
        try {
            return new EvidenceRing(config, forcing);
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
            throw new IOException(
                    "dump.file: " + config.file() + " (expected: a writable directory; " + reason
                            + ")",
                    e);
        }
    }

    public EvidenceSettings config() {
        return config;
    }

    /** Returns the packets that could not be written since the start. Any thread. */
    public long lost() {
        return lost.get();
    }

    /** Returns the reason why nothing is written now; null while writing works. Any thread. */
    public @Nullable String trouble() {
        return trouble;
    }

    /**
     * Appends one frame. The bytes are copied.
     *
     * @param kept bytes of the frame to keep
     * @param length bytes it had on the wire
     */
    public synchronized void append(
            long micros, LinkType link, MemorySegment frame, long offset, int kept, int length) {
        if (closed) {
            return;
        }
        int most = EthernetPcapWriter.most(kept);
        if (most > BUFFER) {
            lost.incrementAndGet();
            return;
        }
        if (filled + most > BUFFER
                || (filled > 0 && Math.abs(micros - oldestMicros) >= FLUSH_MICROS)) {
            write();
        }
        if (filled == 0) {
            oldestMicros = micros;
        }
        lastMicros = micros;
        int size = EthernetPcapWriter.record(
                memory, filled, micros, link, frame, offset, kept, length);
        if (size > 0) {
            filled += size;
            waiting++;
        }
    }

    /** Writes records that have waited too long. Called as time passes. */
    public synchronized void idle(long micros) {
        lastMicros = micros;
        if (filled > 0 && !closed) {
            write();
        }
    }

    private void write() {
        if (brokenMicros != Long.MIN_VALUE && Math.abs(lastMicros - brokenMicros) < RETRY_MICROS) {
            drop();
            return;
        }
        try {
            if (!channel.isOpen()) {
                channel = resume(config.file(), mayHoldZeros());
                written = channel.size();
            }
            if (written + filled > config.bytes() / 2) {
                rotate();
            }
            buffer.clear().limit(filled);
            long at = written;
            while (buffer.hasRemaining()) {
                at += channel.write(buffer, at);
            }
            written = at;
            filled = 0;
            waiting = 0;
            brokenMicros = Long.MIN_VALUE;
            trouble = null;
            if ((forcedMicros == Long.MIN_VALUE
                            || Math.abs(lastMicros - forcedMicros) >= FORCE_MICROS)
                    && isForcing.compareAndSet(false, true)) {
                forcedMicros = lastMicros;
                FileChannel now = channel;
                forcing.execute(() -> force(now));
            }
        } catch (IOException e) {
            brokenMicros = lastMicros;
            trouble = "Evidence cannot be written to " + config.file() + " and will be retried: "
                    + e.getMessage();
            truncateRest();
            drop();
        }
    }

    /** Any thread. */
    private void force(FileChannel channel) {
        try {
            channel.force(false);
        } catch (IOException e) {
            // Closed meanwhile, or the disk fails: the next write reports it.
            return;
        } finally {
            isForcing.set(false);
        }
    }

    private static void forceAndClose(FileChannel channel) {
        try (channel) {
            channel.force(false);
        } catch (IOException e) {
            // The disk fails: the next write reports it.
            return;
        }
    }

    /** Truncates the file to its last whole record: a full disk may have accepted half a record. */
    private void truncateRest() {
        try {
            channel.truncate(written);
            channel.close();
        } catch (IOException e) {
            // The next start finds the broken end and removes it.
            return;
        }
    }

    private void drop() {
        lost.addAndGet(waiting);
        filled = 0;
        waiting = 0;
    }

    /**
     * Makes the newest half the older one. At no instant is {@code FILE} missing or without its
     * header.
     */
    private void rotate() throws IOException {
        Path file = config.file();
        Path next = fresh(file);
        Path sameFile = file.resolveSibling(file.getFileName() + ".old");
        FileChannel created = begin(next);
        try {
            Files.deleteIfExists(sameFile);
            Files.createLink(sameFile, file);
            Files.move(
                    sameFile,
                    config.older(),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (UnsupportedOperationException | FileSystemException e) {
            // This file system has no hard links (FAT): the file is missing for an instant.
            Files.move(file, config.older(), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        FileChannel full = channel;
        forcing.execute(() -> forceAndClose(full));
        channel = created;
        written = EthernetPcapWriter.FILE_HEADER;
    }

    private boolean mayHoldZeros() {
        return config.payloadBytes() >= EthernetPcapWriter.SECTOR;
    }

    private static Path fresh(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    private static FileChannel begin(Path file) throws IOException {
        Files.deleteIfExists(file);
        FileChannel created = create(file);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment header = arena.allocate(EthernetPcapWriter.FILE_HEADER);
            EthernetPcapWriter.header(header, 0);
            created.write(header.asByteBuffer(), 0);
        }
        return created;
    }

    /**
     * Creates a file that only its owner can read: headers show which client sent requests to which
     * server, and when.
     */
    private static FileChannel create(Path file) throws IOException {
        return PrivateFiles.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    /**
     * Opens the file of an earlier run and removes a broken last record; or creates a new file.
     *
     * <p>After a loss of power there may be sectors of zeros in the place of records. Packets do
     * not fill a sector with zeros, unless much of their payload is kept.
     */
    private static FileChannel resume(Path file, boolean mayHoldZeros) throws IOException {
        if (!Files.exists(file)) {
            return begin(file);
        }
        FileChannel old =
                PrivateFiles.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean valid = false;
        try (Arena arena = Arena.ofConfined()) {
            valid = old.size() >= EthernetPcapWriter.FILE_HEADER;
            MemorySegment bytes =
                    valid ? old.map(FileChannel.MapMode.READ_ONLY, 0, old.size(), arena) : null;
            if (old.size() == 0 || (bytes != null && EthernetPcapWriter.isLost(bytes))) {
                old.close();
                return begin(file);
            }
            valid = bytes != null && EthernetPcapWriter.isHeader(bytes);
            if (bytes == null || !valid) {
                throw new IOException("dump.file: " + file
                        + " (expected: a new file, or a capture of Ethernet frames in microseconds as this agent writes"
                        + " it)");
            }
            long sound = mayHoldZeros ? bytes.byteSize() : EthernetPcapWriter.sound(bytes);
            long end = EthernetPcapWriter.FILE_HEADER;
            while (end + EthernetPcapWriter.RECORD_HEADER <= sound) {
                long kept = EthernetPcapWriter.kept(bytes, end);
                if (kept < 0 || end + EthernetPcapWriter.RECORD_HEADER + kept > sound) {
                    break;
                }
                end += EthernetPcapWriter.RECORD_HEADER + kept;
            }
            old.truncate(end);
            return old;
        } finally {
            if (!valid) {
                old.close();
            }
        }
    }

    /** Writes the waiting records. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (filled > 0) {
            write();
        }
        closed = true;
        arena.close();
        try (FileChannel last = channel) {
            last.force(false);
        } catch (IOException e) {
            trouble = "Evidence was not closed cleanly: " + e.getMessage();
        }
    }
}
