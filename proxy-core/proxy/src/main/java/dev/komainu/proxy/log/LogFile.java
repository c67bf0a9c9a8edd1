package dev.komainu.proxy.log;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of the access log: appended to, and rotated as Squid does. Only the log's thread uses it
 * once it is open.
 *
 * <pre>
 *   rotate, keep 3:   FILE.2 is deleted, FILE.1 → FILE.2, FILE.0 → FILE.1, FILE → FILE.0, FILE is created
 * </pre>
 */
class LogFile implements AutoCloseable {

    private final Path path;
    private final int keep;
    private final Set<PosixFilePermission> mode;
    private @Nullable FileChannel channel;

    /**
     * Creates the log file; {@link #open} opens it.
     *
     * @param keep number of rotated files to keep
     * @param mode mode of a new file, and the widest that an existing one keeps
     */
    LogFile(Path path, int keep, Set<PosixFilePermission> mode) {
        this.path = path;
        this.mode = Set.copyOf(mode);
        this.keep = keep;
    }

    /** Opens the file for appending; creates it when it does not exist. */
    void open() throws IOException {
        close();
        channel = PrivateFiles.open(
                path,
                mode,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.WRITE);
    }

    /**
     * Appends lines.
     *
     * @return the bytes written, fewer than given when the disk is full
     * @throws IOException when none could be written
     */
    long write(ByteBuffer[] lines) throws IOException {
        return opened().write(lines);
    }

    long size() throws IOException {
        return opened().size();
    }

    /** Removes the incomplete end of a line. Has no effect on a device, which has no end. */
    void shorten(long bytes) throws IOException {
        FileChannel file = opened();
        if (Files.isRegularFile(path)) {
            file.truncate(Math.max(0, file.size() - bytes));
        }
    }

    /** Returns the channel; opens the file again after an earlier failure. */
    private FileChannel opened() throws IOException {
        FileChannel current = channel;
        if (current == null) {
            open();
            current = channel;
        }
        if (current == null) {
            throw new IOException(path + " is not open");
        }
        return current;
    }

    /**
     * Moves the written files aside and creates a new one; with 0 files to keep, only opens the
     * path again.
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
        FileChannel current = channel;
        channel = null;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
