package dev.komainu.agent.accesslog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Follows one log by its name: one look at the file a poll. Begins at the end of what is there. A
 * file that was renamed away is read on for {@value #FADE_POLLS} polls beside the new one, since a
 * server writes to it until it opens the new one; one that was emptied is read from its beginning.
 * A file emptied and grown beyond where we stood between two polls cannot be told from one that
 * only grew.
 *
 * <table><caption>Limits</caption>
 * <tr><td>{@value #MOST_BYTES} bytes a poll</td><td>the rest waits for the next</td></tr>
 * <tr><td>{@value #MOST_BEHIND} bytes behind</td><td>what lies between is passed over, and counted</td></tr>
 * </table>
 */
final class LogTail implements AutoCloseable {

    static final long MOST_BYTES = 8 << 20;
    static final long MOST_BEHIND = 256 << 20;
    static final int FADE_POLLS = 15;

    private final Path file;
    private final LogLineListener lines;
    private boolean begun;
    private @Nullable LineReader reader;
    private @Nullable Object key;
    private @Nullable LineReader fading;
    private int fadingPolls;
    private long passedOver;

    LogTail(Path file, LogLineListener lines) {
        this.file = file;
        this.lines = lines;
    }

    Path file() {
        return file;
    }

    /** Bytes passed over because the log grew faster than it was read. */
    long passedOver() {
        return passedOver;
    }

    /** Reads what has come; null, or why nothing can be read now. */
    @Nullable
    String poll() {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            if (!now.isRegularFile()) {
                begun = true;
                return "is no regular file";
            }
            open(now);
            begun = true;
            return null;
        } catch (IOException e) {
            // Renamed and not yet made again, or not ours to read; what is open is read on.
            begun = true;
            drainQuietly();
            return Files.exists(file) ? "cannot be read" : "is not there";
        } finally {
            fade();
        }
    }

    private void open(BasicFileAttributes now) throws IOException {
        LineReader current = reader;
        Object itsKey = Objects.requireNonNullElse(now.fileKey(), file);
        if (current != null && !itsKey.equals(key)) {
            closeQuietly(fading);
            fading = current;
            fadingPolls = FADE_POLLS;
            current = null;
            reader = null;
        }
        if (current == null) {
            current = new LineReader(file, !begun);
            reader = current;
            key = itsKey;
        }
        if (now.size() < current.position()) {
            if (current.isWithinLine()) {
                lines.unreadable();
            }
            current.rewind();
        }
        if (now.size() - current.position() > MOST_BEHIND) {
            passedOver += current.skipToEnd();
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
            // Gone with its file system: nothing more comes.
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
            // Nothing was written.
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
