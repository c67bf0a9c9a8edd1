package dev.komainu.central.store;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The metadata blocks of a day file as they were before a checkpoint, in a file beside it. DuckDB
 * writes such blocks again in place, although its header still refers to them: a loss of power in
 * the middle of a block leaves a file that cannot be opened, with everything in it. The saved
 * blocks bring the state before the checkpoint back, and the log has what came after.
 *
 * <pre>
 *  bytes    content
 *  8        "KMETA001"
 *  4        number of blocks, n
 *  n times  position in the day file (8), block (262,144)
 *  4        CRC-32C of all before
 * </pre>
 *
 * Big-endian. Writer thread only.
 */
final class SavedMetadata {

    static final String SUFFIX = ".metadata";

    private static final long MAGIC = 0x4B4D_4554_4130_3031L;
    private static final int BLOCK = 1 << 18;
    /** Three headers of 4 KB come before the first block. */
    private static final int HEADERS = 3 << 12;

    private static final int MOST_BLOCKS = 1 << 10;

    private final Path day;
    private final Path saved;

    SavedMetadata(DayFile file) {
        day = file.path();
        saved = day.resolveSibling(day.getFileName() + SUFFIX);
    }

    Path path() {
        return saved;
    }

    /** Saves the blocks that a checkpoint may write again, and forces them to the disk. */
    void save(Connection connection, String database) throws SQLException, IOException {
        List<Long> blocks = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT DISTINCT block_id FROM pragma_metadata_info('" + database
                                + "') WHERE block_id >= 0 ORDER BY block_id")) {
            while (row.next()) {
                blocks.add(row.getLong(1));
            }
        }
        if (blocks.size() > MOST_BLOCKS) {
            throw new IOException(day + ": " + blocks.size()
                    + " metadata blocks (expected: at most " + MOST_BLOCKS + ")");
        }
        CRC32C sum = new CRC32C();
        try (FileChannel from = FileChannel.open(day, StandardOpenOption.READ);
                FileChannel to = PrivateFiles.open(
                        saved,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            write(to, ByteBuffer.allocate(12).putLong(MAGIC).putInt(blocks.size()), sum);
            for (long block : blocks) {
                long at = HEADERS + block * BLOCK;
                ByteBuffer entry = ByteBuffer.allocate(8 + BLOCK).putLong(at);
                while (entry.hasRemaining() && from.read(entry, at + entry.position() - 8) > 0) {}
                // A block that was never written is beyond the end of the file.
                entry.position(entry.limit());
                write(to, entry, sum);
            }
            write(to, ByteBuffer.allocate(4).putInt((int) sum.getValue()), sum);
            to.force(true);
        }
        PrivateFiles.forceNames(saved);
    }

    private static void write(FileChannel to, ByteBuffer bytes, CRC32C sum) throws IOException {
        bytes.flip();
        sum.update(bytes.duplicate());
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /**
     * Writes the saved blocks back.
     *
     * @return false when there are none, or the file of them is not whole: then no checkpoint had
     *     begun
     */
    boolean restore() throws IOException {
        ByteBuffer all;
        try {
            all = ByteBuffer.wrap(Files.readAllBytes(saved));
        } catch (NoSuchFileException e) {
            return false;
        }
        int end = all.limit() - 4;
        if (end < 12 || all.getLong(0) != MAGIC) {
            return false;
        }
        int count = all.getInt(8);
        CRC32C sum = new CRC32C();
        sum.update(all.duplicate().limit(end));
        if ((int) sum.getValue() != all.getInt(end)
                || count <= 0
                || end != 12 + count * (8L + BLOCK)) {
            return false;
        }
        try (FileChannel to = FileChannel.open(day, StandardOpenOption.WRITE)) {
            for (int i = 0; i < count; i++) {
                int entry = 12 + i * (8 + BLOCK);
                ByteBuffer block = all.duplicate().position(entry + 8).limit(entry + 8 + BLOCK);
                long at = all.getLong(entry);
                while (block.hasRemaining()) {
                    at += to.write(block, at);
                }
            }
            to.force(true);
        }
        return true;
    }

    /** Removes the saved blocks, after the checkpoint. */
    void delete() throws IOException {
        Files.deleteIfExists(saved);
    }
}
