package dev.komainu.agent.settings;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the text of one setting means: null, or an IllegalArgumentException, where it means nothing that was expected. */
final class SettingChecks {

    private SettingChecks() {}

    /** A file that is there, or could be. */
    static @Nullable Path placeForFile(String text) {
        Path file = Path.of(text).toAbsolutePath();
        Path directory = file.getParent();
        return directory != null && Files.isDirectory(directory) && !Files.isDirectory(file) ? file : null;
    }

    static @Nullable URI webAddress(String text) {
        URI uri = URI.create(text);
        boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        return web && uri.getHost() != null ? uri : null;
    }

    static @Nullable Integer port(String text) {
        int port = Integer.parseInt(text);
        return port >= 1 && port <= 65_535 ? port : null;
    }

    static @Nullable Duration wholeSeconds(Duration value) {
        return value.toMillis() % 1_000 == 0 ? value : null;
    }

    static @Nullable Boolean automatic(String text) {
        return switch (text) {
            case "auto" -> true;
            case "never" -> false;
            default -> null;
        };
    }

    static long within(long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    static Duration within(Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    /** What a file of this name holds, where there is one; else the text itself. */
    static String contentOrItself(String text) {
        try {
            Path file = Path.of(text);
            return Files.isRegularFile(file) ? Files.readString(file).strip() : text;
        } catch (IOException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
