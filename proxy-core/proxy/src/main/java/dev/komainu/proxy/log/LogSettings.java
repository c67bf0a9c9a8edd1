package dev.komainu.proxy.log;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the access log.
 *
 * @param file file of the lines, which are appended; null: no access log
 * @param format format of a line (squid)
 * @param withQuery whether the text behind a target's {@code ?} is written (false: it may contain
 *     secrets)
 * @param maxBytes size at which the file is rotated: 0, or 1 MB to 1 TB (0: never)
 * @param keep number of rotated files to keep, {@code FILE.0} the newest: 0 to 1,000 (10); 0: the
 *     file is only reopened
 * @param mode mode of a new file, and the widest that an existing one keeps (640)
 */
public record LogSettings(
        @Nullable Path file,
        LogFormat format,
        boolean withQuery,
        long maxBytes,
        int keep,
        Set<PosixFilePermission> mode) {

    static final Setting<Path> ACCESS = Setting.path("log.access", "file")
            .orNone()
            .effect("File of the access log, with a line for each exchange")
            .detail("""
                    See [access-log.md](../formats/access-log.md).""");

    static final Setting<LogFormat> FORMAT = Setting.of(
                    "log.format", "squid, common, combined, json", LogFormat::of)
            .byDefault("squid")
            .effect("Format of a line");

    static final Setting<Boolean> QUERY = Setting.truth("log.query")
            .byDefault("false")
            .effect("Whether the text after a target's `?` is written; it may contain secrets");

    static final Setting<Long> MAX_SIZE = Setting.size("log.max-size", "0", "1TB")
            .range("0, or 1MB to 1TB")
            .byDefault("0")
            .effect("Size at which the file is rotated; 0: only on SIGUSR1");

    static final Setting<Integer> KEEP = Setting.integer("log.keep", 0, 1000)
            .byDefault("10")
            .effect("Rotated files to keep, `FILE.0` the newest; 0: a rotation only reopens "
                    + "the path");

    static final Setting<Set<PosixFilePermission>> MODE = Setting.of(
                    "log.mode", "600, 640 or 644", LogSettings::mode)
            .byDefault("640")
            .effect("Mode of a new access log, and the widest that an existing one keeps")
            .detail("""
                    The lines contain clients' addresses. With 640 the process's group may read the file, for
                    example a program that ships logs.
                    """);

    public static final LogSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; errors are recorded in the reader. */
    public static LogSettings read(SettingReader reader) {
        return new LogSettings(
                reader.find(ACCESS),
                reader.get(FORMAT),
                reader.get(QUERY),
                reader.get(MAX_SIZE),
                reader.get(KEEP),
                reader.get(MODE));
    }

    private static Set<PosixFilePermission> mode(String text) {
        return PosixFilePermissions.fromString(
                switch (text) {
                    case "600" -> "rw-------";
                    case "640" -> "rw-r-----";
                    case "644" -> "rw-r--r--";
                    default -> throw new IllegalArgumentException(text);
                });
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (maxBytes != 0 && (maxBytes < 1 << 20 || maxBytes > 1L << 40)) {
            problems.add("log.max-size: " + maxBytes + " (expected: 0, or 1MB to 1TB)");
        }
        if (keep == 0 && maxBytes != 0) {
            problems.add(
                    "log.keep: 0 (expected: at least 1 with log.max-size, because the file would never shrink)");
        }
    }
}
