package dev.komainu.proxy.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The file behind the access log: appended to, rotated as Squid does. Only the log's thread touches
 * it once it is open.
 *
 * <pre>
 *   rotate, keep 3:   FILE.2 goes, FILE.1 → FILE.2, FILE.0 → FILE.1, FILE → FILE.0, FILE begins anew
 * </pre>
 */
class LogFile implements AutoCloseable {

    private final Path path;
    private final int keep;
    private @Nullable FileChannel channel;

    LogFile(Path path, int keep) {
        this.path = path;
        this.keep = keep;
    }

    /** Opens it for appending; creates it when it is not there. */
    void open() throws IOException {
        close();
        channel = FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.WRITE);
    }

    /**
     * @return bytes written, fewer than there are when the disk is full @throws IOException when
     *     none could be
     */
    long write(ByteBuffer[] lines) throws IOException {
        return opened().write(lines);
    }

    long size() throws IOException {
        return opened().size();
    }

    /** Takes the torn end of a line back; a device cannot, and has no end. */
    void shorten(long bytes) throws IOException {
        FileChannel file = opened();
        if (Files.isRegularFile(path)) {
            file.truncate(Math.max(0, file.size() - bytes));
        }
    }

    /** Opens it again when that failed before. */
    private FileChannel opened() throws IOException {
        FileChannel known = channel;
        if (known == null) {
            open();
            known = channel;
        }
        if (known == null) {
            throw new IOException(path + " is not open");
        }
        return known;
    }

    /**
     * Moves what was written aside and begins anew; with none to keep it only opens the path again.
     */
    void rotate() throws IOException {
        for (int i = keep - 1; i >= 0; i--) {
            Path from = i == 0 ? path : path.resolveSibling(path.getFileName() + "." + (i - 1));
            if (Files.isRegularFile(from)) {
                Files.move(
                        from,
                        path.resolveSibling(path.getFileName() + "." + i),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.ATOMIC_MOVE);
            }
        }
        open();
    }

    @Override
    public void close() throws IOException {
        FileChannel known = channel;
        channel = null;
        if (known != null) {
            known.close();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
