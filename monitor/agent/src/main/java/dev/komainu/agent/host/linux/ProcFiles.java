package dev.komainu.agent.host.linux;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files under {@code /proc} (or under a copy of it, in tests). A file that is missing,
 * forbidden or vanishes during the read is absent. Not thread-safe: all reads share one buffer.
 */
public final class ProcFiles {

    /** Maximum number of bytes read. No file the agent needs is longer, except a forged one. */
    public static final int MAX_BYTES = 4 << 20;

    private final Path root;
    private byte[] buffer = new byte[16 << 10];

    public ProcFiles(Path root) {
        this.root = root;
    }

    /** Returns this machine's own files. */
    public static ProcFiles ofThisHost() {
        return new ProcFiles(Path.of("/proc"));
    }

    public Path path(String name) {
        return root.resolve(name);
    }

    /** Reports whether this system has a Linux {@code /proc}. */
    public boolean exists() {
        return Files.isReadable(root.resolve("stat"));
    }

    /** Returns the whole text, one character per byte; null when it cannot be read. */
    public @Nullable String read(String name) {
        return readWhile(name, null);
    }

    /** Returns the whole text, one character per byte; empty when it cannot be read. */
    public String text(String name) {
        String text = read(name);
        return text == null ? "" : text;
    }

    /**
     * Reads only while the condition is true. The kernel writes {@code net/tcp} piece by piece as
     * it is read, listeners first, then every connection; an early stop saves the kernel and the
     * agent the 13,000 lines that follow.
     */
    public @Nullable String readWhile(String name, @Nullable ReadCondition condition) {
        try (InputStream in = new FileInputStream(root.resolve(name).toFile())) {
            int length = 0;
            while (length < MAX_BYTES) {
                if (length == buffer.length) {
                    buffer = Arrays.copyOf(buffer, buffer.length * 2);
                }
                int count = in.read(buffer, length, Math.min(4096, buffer.length - length));
                if (count < 0) {
                    break;
                }
                int before = length;
                length += count;
                if (condition != null && !condition.more(buffer, before, length)) {
                    break;
                }
            }
            return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the directory's entries that are numbers, ascending: processes, threads or
     * descriptors.
     */
    public List<Long> numbersIn(String directory) {
        List<Long> numbers = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory))) {
            for (Path entry : entries) {
                Path name = entry.getFileName();
                Long number = name == null ? null : DecimalCounters.of(name.toString());
                if (number != null) {
                    numbers.add(number);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Forbidden or gone: the entries read so far are the result.
        }
        numbers.sort(null);
        return numbers;
    }

    /**
     * Returns the target of a symbolic link such as {@code PID/exe} or {@code PID/fd/4}; null when
     * it cannot be read.
     */
    public @Nullable String link(String name) {
        try {
            return Files.readSymbolicLink(root.resolve(name)).toString();
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * Returns the number of open descriptors of a process; null without permission. Since Linux 6.2
     * the directory's size is that number; before, its entries are counted.
     */
    public @Nullable Long openFiles(long processId) {
        String directory = processId + "/fd";
        Path path = root.resolve(directory);
        try {
            long size = Files.size(path);
            if (size > 0 && Files.isReadable(path)) {
                return size;
            }
        } catch (IOException e) {
            return null;
        }
        return Files.isReadable(path) ? (long) numbersIn(directory).size() : null;
    }

    /** A condition that is evaluated during a read and reports whether to continue. */
    @FunctionalInterface
    public interface ReadCondition {
        boolean more(byte[] buffer, int newFrom, int length);
    }
}
