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
 * A server's files as it sees them, inside a container through {@code /proc/PID/root}; remembers
 * what it gave, so that {@link #changed} can tell with one {@code stat} a file whether reading
 * again would give something else. Directories that were searched and files that were missing are
 * remembered too. One thread at a time.
 *
 * <table>
 * <caption>Limits: a configuration that includes itself, or everything, ends</caption>
 * <tr><td>files</td><td>{@value #MAX_FILES}</td><td>further ones are not read, a problem says so</td></tr>
 * <tr><td>size</td><td>4 MB a file, 16 MB together</td><td>longer ones are not read, a problem says so</td></tr>
 * <tr><td>kind</td><td>regular files</td><td>reading a device or a pipe would never end</td></tr>
 * </table>
 */
public final class ConfigurationFiles {

    static final int MAX_FILES = 1_000;
    /** Includes within includes; readers stop there and say so. */
    public static final int MAX_DEPTH = 10;

    private static final long MAX_BYTES = 4 << 20;
    private static final long MAX_TOTAL_BYTES = 16 << 20;
    private static final int MAX_MATCHES = 2_000;
    private static final Pattern WILDCARD = Pattern.compile("[*?\\[]");

    /** What could not be done, and where. */
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

    /** The files as {@code process} sees them. */
    public static ConfigurationFiles of(ServerProcess process, ProcFiles proc) {
        return new ConfigurationFiles(
                process.sameFiles() ? Path.of("/") : proc.path(process.id() + "/root"));
    }

    /** This host's own files. */
    public static ConfigurationFiles ofThisHost() {
        return new ConfigurationFiles(Path.of("/"));
    }

    /** Files under a directory that stands for a container's root. */
    static ConfigurationFiles under(Path root) {
        return new ConfigurationFiles(root);
    }

    /** Where this view begins, such as {@code /} or {@code /proc/77/root}. */
    public String root() {
        return root.toString();
    }

    /** A file's lines, one character a byte; null when it cannot be read or a limit is reached. */
    public @Nullable List<String> lines(String path) {
        String text = text(path);
        return text == null ? null : List.of(text.split("\r?\n", -1));
    }

    /**
     * A file's whole text, one character a byte; null when it cannot be read or a limit is reached.
     */
    public @Nullable String text(String path) {
        if (filesRead >= MAX_FILES) {
            problem(path, "not read (expected: at most " + MAX_FILES + " files)");
            return null;
        }
        filesRead++;
        try {
            Path file = root.resolve(path);
            // Stamped before reading: a change while we read is then seen as one next time.
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
            // No further than it was long when judged: it may grow meanwhile.
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
     * Remembers a file that others read, such as a jar, so that its change is noticed; its place
     * here, if it is a file.
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
     * Files a pattern such as {@code /etc/nginx/conf.d/*.conf} names, sorted; wildcards may stand
     * in every part.
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
                    // As in a shell: a hidden file needs its dot spelt out.
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
            // Nothing there to include.
        }
        return names;
    }

    public boolean isDirectory(String path) {
        try {
            BasicFileAttributes attributes = attributes(root.resolve(path));
            return attributes != null && attributes.isDirectory();
        } catch (IOException | InvalidPathException e) {
            return false;
        }
    }

    public boolean exists(String path) {
        return watched(path) != null;
    }

    /** Whether something that was given, searched or missing is another thing now. */
    public boolean changed() {
        return changed(new HashSet<>());
    }

    /**
     * @param asked what was asked for already; added to. Several ports of one server share their
     *     files
     */
    public boolean changed(Set<Object> asked) {
        for (Map.Entry<String, Seen> entry : seen.entrySet()) {
            Seen before = entry.getValue();
            if (!asked.add(before)) {
                continue;
            }
            try {
                // The host's links are followed by the kernel; a container's are walked again,
                // since one may lead elsewhere.
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

    /** What was read, in that order. */
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

    /** What tells two states of a file apart. */
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
