package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One append-only file of spooled batches, read from its head. Guarded by its spool's owner.
 *
 * <pre>
 *  0       4       8                                            all numbers big-endian
 *  +-------+-------+
 *  | KSP1  | 0     |  file header
 *  +-------+-------+---------+-------+--------+-----+-------+------+
 *  | n     | crc32c| records | epoch | sequence | s | source| body |  entry; n is the length after crc32c
 *  +-------+-------+---------+-------+--------+-----+-------+------+
 *    4       4       4         8       8        2     s       rest
 * </pre>
 *
 * <p>The checksum covers n and everything after crc32c. A tail that was torn by a crash ends the
 * segment; a damaged entry with a plausible length is skipped.
 */
final class SpoolSegment {

    static final int FILE_HEADER = 8;
    static final int ENTRY_HEADER = 8;
    private static final int FIXED = 4 + 8 + 8 + 2;
    private static final int MAGIC = 0x4B535031;
    private static final int MAX_ENTRY = 48 << 20;

    private final Path path;
    private long size = FILE_HEADER;
    private long head = FILE_HEADER;
    private long records;
    private long damaged;

    SpoolSegment(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /** Returns the bytes on disk. */
    long size() {
        return size;
    }

    /** Returns the number of records not yet removed. */
    long records() {
        return records;
    }

    /** Returns the entries that could not be read since the last call. */
    long takeDamaged() {
        long count = damaged;
        damaged = 0;
        return count;
    }

    boolean isDrained() {
        return head >= size;
    }

    static ByteBuffer fileHeader() {
        return ByteBuffer.allocate(FILE_HEADER).putInt(MAGIC).putInt(0).flip();
    }

    static ByteBuffer entry(OutgoingBatch batch) {
        byte[] source = batch.id().source().getBytes(StandardCharsets.UTF_8);
        int length = FIXED + source.length + batch.body().length;
        ByteBuffer entry = ByteBuffer.allocate(ENTRY_HEADER + length);
        entry.putInt(length).putInt(0);
        entry.putInt(batch.records())
                .putLong(batch.id().epoch())
                .putLong(batch.id().sequence());
        entry.putShort((short) source.length).put(source).put(batch.body()).flip();
        return entry.putInt(4, checksum(entry));
    }

    private static int checksum(ByteBuffer entry) {
        CRC32C crc = new CRC32C();
        crc.update(entry.duplicate().position(0).limit(4));
        crc.update(entry.duplicate().position(ENTRY_HEADER));
        return (int) crc.getValue();
    }

    /** Adds an entry that the spool has appended. */
    void appended(int bytes, int newRecords) {
        size += bytes;
        records += newRecords;
    }

    /** Reads a segment of an earlier process: counts its records and finds its end. */
    void scan() throws IOException {
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            size = in.size();
            ByteBuffer start = readFully(in, 0, FILE_HEADER);
            if (start == null || start.getInt(0) != MAGIC) {
                damaged++;
                head = size;
                return;
            }
            long at = FILE_HEADER;
            while (at < size) {
                int length = lengthAt(in, at);
                if (length < 0) {
                    damaged++;
                    // The torn tail; all entries before it are good.
                    size = at;
                    break;
                }
                OutgoingBatch batch = batchAt(in, at, length);
                if (batch != null) {
                    records += batch.records();
                }
                at += ENTRY_HEADER + length;
            }
        }
    }

    /** Returns the oldest batch not yet removed; null when there is none. Skips damaged entries. */
    @Nullable
    OutgoingBatch peek() throws IOException {
        if (isDrained()) {
            return null;
        }
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            while (head < size) {
                int length = lengthAt(in, head);
                if (length < 0) {
                    damaged++;
                    head = size;
                    return null;
                }
                OutgoingBatch batch = batchAt(in, head, length);
                if (batch != null) {
                    return batch;
                }
                damaged++;
                head += ENTRY_HEADER + length;
            }
        }
        return null;
    }

    /** Moves behind the batch that {@link #peek} returned. */
    void skip(OutgoingBatch batch) {
        int source = batch.id().source().getBytes(StandardCharsets.UTF_8).length;
        head += ENTRY_HEADER + FIXED + source + batch.body().length;
        records -= batch.records();
    }

    private int lengthAt(FileChannel in, long at) throws IOException {
        ByteBuffer header = readFully(in, at, ENTRY_HEADER);
        int length = header == null ? -1 : header.getInt(0);
        return length < FIXED || length > MAX_ENTRY || at + ENTRY_HEADER + length > in.size()
                ? -1
                : length;
    }

    private static @Nullable OutgoingBatch batchAt(FileChannel in, long at, int length)
            throws IOException {
        ByteBuffer entry = readFully(in, at, ENTRY_HEADER + length);
        if (entry == null || checksum(entry) != entry.getInt(4)) {
            return null;
        }
        entry.position(ENTRY_HEADER);
        int records = entry.getInt();
        long epoch = entry.getLong();
        long sequence = entry.getLong();
        byte[] source = new byte[entry.getShort()];
        entry.get(source);
        byte[] body = new byte[entry.remaining()];
        entry.get(body);
        return new OutgoingBatch(
                new BatchId(new String(source, StandardCharsets.UTF_8), epoch, sequence),
                records,
                body);
    }

    private static @Nullable ByteBuffer readFully(FileChannel in, long at, int bytes)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            if (in.read(buffer, at + buffer.position()) < 0) {
                return null;
            }
        }
        return buffer.flip();
    }
}
