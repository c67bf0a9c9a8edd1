package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * The configuration files as one server sees them: inside a container through {@code /proc/PID/root}. Bounded: a
 * configuration that includes itself, or everything, ends after {@value #MAX_FILES} files.
 */
final class SettingsSource {

    static final int MAX_FILES = 1_000;
    private static final long MAX_BYTES = 4 << 20;

    private final Path root;
    private int filesRead;

    private SettingsSource(Path root) {
        this.root = root;
    }

    static SettingsSource of(ServerProcess process, ProcFiles proc) {
        return new SettingsSource(process.sameFiles() ? Path.of("/") : proc.path(process.id() + "/root"));
    }

    /** This host's own files. */
    static SettingsSource ofThisHost() {
        return new SettingsSource(Path.of("/"));
    }

    /** A file's lines; null when it cannot be read, is too long, or too many have been read already. */
    @Nullable
    List<String> lines(String path) {
        if (filesRead >= MAX_FILES) {
            return null;
        }
        filesRead++;
        try {
            Path file = within(path);
            // Neither a device nor a pipe: reading those would never end.
            if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
                return null;
            }
            return List.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\n"));
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /** Files a pattern such as {@code /etc/nginx/conf.d/*.conf} names, sorted; wildcards in the last two parts are enough. */
    List<String> matching(String pattern) {
        if (!pattern.matches(".*[*?\\[].*")) {
            return List.of(pattern);
        }
        int slash = pattern.lastIndexOf('/');
        List<String> found = new ArrayList<>();
        for (String directory : matching(slash <= 0 ? "/" : pattern.substring(0, slash))) {
            try (DirectoryStream<Path> entries =
                    Files.newDirectoryStream(within(directory), pattern.substring(slash + 1))) {
                for (Path entry : entries) {
                    found.add(directory + "/" + entry.getFileName());
                }
            } catch (IOException | PatternSyntaxException | InvalidPathException e) {
                // Nothing there to include.
            }
        }
        found.sort(null);
        return found;
    }

    boolean isDirectory(String path) {
        try {
            return Files.isDirectory(within(path));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private Path within(String path) {
        return root.resolve(path.startsWith("/") ? path.substring(1) : path);
    }
}
