package dev.komainu.agent.host.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small files below {@code /sys} that are read once in a while. */
final class SysFiles {

    private SysFiles() {}

    /**
     * Returns the text of a file without blanks around it; null when it cannot be read or is empty.
     */
    static @Nullable String text(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            return text.isEmpty() ? null : text;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the number in a file; null when it cannot be read or holds none. */
    static @Nullable Long number(Path file) {
        String text = text(file);
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the entries of a directory, by name; none when it cannot be read. */
    static List<Path> entries(Path directory) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            all.forEach(entries::add);
        } catch (IOException e) {
            return List.of();
        }
        entries.sort(null);
        return entries;
    }
}
