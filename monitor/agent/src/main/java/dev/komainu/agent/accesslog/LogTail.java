package dev.komainu.agent.accesslog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Follower of one log by its name: it checks the file once a poll. It begins at the end of the
 * existing file. A file that was renamed is read for {@value #FADE_POLLS} more polls beside the new
 * one, because a server writes to it until it opens the new one. A truncated file is read from its
 * beginning. A file that was truncated and grew beyond the last position between two polls cannot
 * be distinguished from one that only grew.
 *
 * <table><caption>Limits</caption>
 * <tr><td>{@value #MOST_BYTES} bytes a poll</td><td>the rest waits for the next poll</td></tr>
 * <tr><td>{@value #MOST_BEHIND} bytes behind</td><td>the bytes between are skipped, and counted</td></tr>
 * </table>
 */
final class LogTail implements AutoCloseable {

    static final long MOST_BYTES = 8 << 20;
    static final long MOST_BEHIND = 256 << 20;
    static final int FADE_POLLS = 15;

    private final Path file;
    private final LogLineListener lines;
    private boolean started;
    private @Nullable LineReader reader;
    private @Nullable Object key;
    private @Nullable LineReader fading;
    private int fadingPolls;
    private long skippedBytes;

    LogTail(Path file, LogLineListener lines) {
        this.file = file;
        this.lines = lines;
    }

    Path file() {
        return file;
    }

    /** Returns the bytes skipped because the log grew faster than it was read. */
    long skippedBytes() {
        return skippedBytes;
    }

    /** Reads the new lines; returns null, or the reason why the file cannot be read now. */
    @Nullable
    String poll() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            if (!now.isRegularFile()) {
                started = true;
                return "is not a regular file";
            }
            open(now);
            started = true;
            return null;
        } catch (IOException e) {
            // Renamed and not yet created again, or not readable for this
            // user; the open file is still read.
            started = true;
            drainQuietly();
            return Files.exists(file) ? "cannot be read" : "does not exist";
        } finally {
            fade();
        }
    }

    private void open(BasicFileAttributes now) throws IOException {
        LineReader current = reader;
        Object openKey = Objects.requireNonNullElse(now.fileKey(), file);
        if (current != null && !openKey.equals(key)) {
            closeQuietly(fading);
            fading = current;
            fadingPolls = FADE_POLLS;
            current = null;
            reader = null;
        }
        if (current == null) {
            current = new LineReader(file, !started);
            reader = current;
            key = openKey;
        }
        if (now.size() < current.position()) {
            if (current.isWithinLine()) {
                lines.unreadable();
            }
            current.rewind();
        }
        if (now.size() - current.position() > MOST_BEHIND) {
            skippedBytes += current.skipToEnd();
        }
        current.read(MOST_BYTES, lines);
    }

    private void drainQuietly() {
        try {
            if (reader != null) {
                reader.read(MOST_BYTES, lines);
            }
        } catch (IOException e) {
            closeQuietly(reader);
            reader = null;
        }
    }

    private void fade() {
        LineReader old = fading;
        if (old == null) {
            return;
        }
        try {
            long read = old.read(MOST_BYTES, lines);
            if (read > 0 || --fadingPolls > 0) {
                return;
            }
        } catch (IOException e) {
            // The file system is gone: no more bytes come.
        }
        if (old.isWithinLine()) {
            lines.unreadable();
        }
        closeQuietly(old);
        fading = null;
    }

    private static void closeQuietly(@Nullable LineReader reader) {
        try {
            if (reader != null) {
                reader.close();
            }
        } catch (IOException e) {
            // No bytes were written.
        }
    }

    @Override
    public void close() {
        closeQuietly(reader);
        closeQuietly(fading);
        reader = null;
        fading = null;
    }
}
