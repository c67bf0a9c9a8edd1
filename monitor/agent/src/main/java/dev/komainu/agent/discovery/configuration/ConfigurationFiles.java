package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ServerProcess;
import dev.komainu.agent.host.linux.ProcFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A server's files as the server sees them, inside a container through {@code /proc/PID/root}.
 * Records the state of every file it returned, directory it searched and file it missed, so that
 * {@link #changed} detects changes with one {@code stat} per file. One thread at a time.
 *
 * <table>
 * <caption>Limits, so that a configuration that includes itself, or everything, ends</caption>
 * <tr><td>files</td><td>{@value #MAX_FILES}</td><td>further files are not read; reported as a problem</td></tr>
 * <tr><td>size</td><td>4 MB a file, 16 MB together</td><td>larger files are not read; reported as a problem</td></tr>
 * <tr><td>kind</td><td>regular files</td><td>reading a device or a pipe would never end</td></tr>
 * </table>
 */
public final class ConfigurationFiles {

    static final int MAX_FILES = 1_000;
    /** The maximum nesting of includes. Readers report a problem there and stop. */
    public static final int MAX_DEPTH = 10;

    private static final long MAX_BYTES = 4 << 20;
    private static final long MAX_TOTAL_BYTES = 16 << 20;
    private static final int MAX_MATCHES = 2_000;
    private static final Pattern WILDCARD = Pattern.compile("[*?\\[]");

    /** A file that could not be read, and the reason. */
    record Problem(String place, String what) {}

    private final RootedPath root;
    private final Map<String, Seen> seen = new LinkedHashMap<>();
    private final Map<String, ConfigurationFile> read = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private int filesRead;
    private long bytesRead;

    private ConfigurationFiles(Path root) {
        this.root = new RootedPath(root);
    }

    /** Returns the files as {@code process} sees them. */
    public static ConfigurationFiles of(ServerProcess process, ProcFiles proc) {
        return new ConfigurationFiles(
                process.sameFiles() ? Path.of("/") : proc.path(process.id() + "/root"));
    }

    /** Returns this host's own files. */
    public static ConfigurationFiles ofThisHost() {
        return new ConfigurationFiles(Path.of("/"));
    }

    /** Returns the files under a directory that stands for a container's root. */
    static ConfigurationFiles under(Path root) {
        return new ConfigurationFiles(root);
    }

    /** Returns the root of this view, such as {@code /} or {@code /proc/77/root}. */
    public String root() {
        return root.toString();
    }

    /**
     * Returns a file's lines, one character per byte; null when it cannot be read or a limit is
     * reached.
     */
    public @Nullable List<String> lines(String path) {
        String text = text(path);
        return text == null ? null : List.of(text.split("\r?\n", -1));
    }

    /**
     * Returns a file's whole text, one character per byte; null when it cannot be read or a limit
     * is reached.
     */
    public @Nullable String text(String path) {
        if (filesRead >= MAX_FILES) {
            problem(path, "not read (expected: at most " + MAX_FILES + " files)");
            return null;
        }
        filesRead++;
        try {
            Path file = root.resolve(path);
            // The stamp is taken before the file is read, so a write during the read is detected as
            // a change next time.
            BasicFileAttributes attributes = attributes(file);
            seen.put(path, new Seen(file, Stamp.of(attributes)));
            if (attributes == null) {
                return null;
            }
            long size = attributes.size();
            if (!attributes.isRegularFile()) {
                problem(path, "not read (expected: a regular file)");
                return null;
            }
            if (size > MAX_BYTES || bytesRead + size > MAX_TOTAL_BYTES) {
                problem(
                        path,
                        "not read: " + size + " bytes (expected: at most 4 MB, 16 MB together)");
                return null;
            }
            bytesRead += size;
            // Reads at most the size that was checked: the file may grow meanwhile.
            String text =
                    new String(RegularFile.read(file, (int) size), StandardCharsets.ISO_8859_1);
            read.putIfAbsent(
                    path,
                    new ConfigurationFile(
                            path, size, attributes.lastModifiedTime().toInstant()));
            return text;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * Records a file that other code reads, such as a jar, so that its change is detected. Returns
     * its path on this host; null when it is no regular file.
     */
    public @Nullable Path watched(String path) {
        try {
            Path file = root.resolve(path);
            BasicFileAttributes attributes = attributes(file);
            seen.put(path, new Seen(file, Stamp.of(attributes)));
            return attributes != null && attributes.isRegularFile() ? file : null;
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * Returns the files that match a pattern such as {@code /etc/nginx/conf.d/*.conf}, sorted.
     * Every part of the path may contain wildcards.
     */
    public List<String> matching(String pattern) {
        if (!WILDCARD.matcher(pattern).find()) {
            return List.of(pattern);
        }
        int slash = pattern.lastIndexOf('/');
        List<String> found = new ArrayList<>();
        for (String directory : matching(slash <= 0 ? "/" : pattern.substring(0, slash))) {
            for (String name : list(directory, pattern.substring(slash + 1))) {
                if (found.size() < MAX_MATCHES) {
                    found.add(directory + (directory.endsWith("/") ? "" : "/") + name);
                }
            }
        }
        found.sort(null);
        return found;
    }

    private List<String> list(String directory, String pattern) {
        List<String> names = new ArrayList<>();
        try {
            PathMatcher matcher = FileSystems.getDefault()
                    .getPathMatcher("glob:" + pattern.replaceAll("[{}\\\\]", "?"));
            Path place = root.resolve(directory);
            seen.put(directory, new Seen(place, Stamp.of(attributes(place))));
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(place)) {
                for (Path entry : entries) {
                    Path name = entry.getFileName();
                    // As in a shell, a hidden file matches only a pattern that begins with a dot.
                    if (name != null
                            && matcher.matches(name)
                            && (pattern.startsWith(".") || !name.toString().startsWith("."))) {
                        names.add(name.toString());
                    }
                }
            }
        } catch (IOException
                | DirectoryIteratorException
                | PatternSyntaxException
                | InvalidPathException e) {
            // Nothing to include.
        }
        return names;
    }

    /** Reports whether a path is a directory; false when it cannot be read. */
    public boolean isDirectory(String path) {
        try {
            BasicFileAttributes attributes = attributes(root.resolve(path));
            return attributes != null && attributes.isDirectory();
        } catch (IOException | InvalidPathException e) {
            return false;
        }
    }

    /** Reports whether a path is a regular file, and records it for {@link #changed}. */
    public boolean exists(String path) {
        return watched(path) != null;
    }

    /** Reports whether anything that was read, searched or missing has changed. */
    public boolean changed() {
        return changed(new HashSet<>());
    }

    /**
     * Reports whether anything has changed that another call has not checked. Several ports of one
     * server share their files.
     *
     * @param checked the files already checked; this call adds its own
     */
    public boolean changed(Set<Object> checked) {
        for (Map.Entry<String, Seen> entry : seen.entrySet()) {
            Seen before = entry.getValue();
            if (!checked.add(before)) {
                continue;
            }
            try {
                // The kernel resolves the host's links. A container's links are resolved again,
                // because their targets may have changed.
                Path file = root.isHost() ? before.file() : root.resolve(entry.getKey());
                if (!before.stamp().equals(Stamp.of(attributes(file)))) {
                    return true;
                }
            } catch (IOException | InvalidPathException e) {
                if (!before.stamp().equals(Stamp.ABSENT)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the files read, in order. */
    public List<ConfigurationFile> read() {
        return List.copyOf(read.values());
    }

    List<Problem> problems() {
        return List.copyOf(problems);
    }

    private void problem(String place, String what) {
        Problem problem = new Problem(place, what);
        if (problems.size() < 20 && !problems.contains(problem)) {
            problems.add(problem);
        }
    }

    private static @Nullable BasicFileAttributes attributes(Path file) {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (IOException e) {
            return null;
        }
    }

    private record Seen(Path file, Stamp stamp) {}

    /** The attributes by which two states of a file differ. */
    private record Stamp(
            long bytes, long modifiedNanos, @Nullable Object inode) {
        static final Stamp ABSENT = new Stamp(-1, 0, null);

        static Stamp of(@Nullable BasicFileAttributes attributes) {
            return attributes == null
                    ? ABSENT
                    : new Stamp(
                            attributes.size(),
                            attributes
                                    .lastModifiedTime()
                                    .to(java.util.concurrent.TimeUnit.NANOSECONDS),
                            attributes.fileKey());
        }
    }
}
