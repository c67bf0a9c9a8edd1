package dev.komainu.central.backup;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One file of a backup.
 *
 * @param name path below the backup's directory, with slashes
 * @param bytes its size there
 * @param sha256 of its bytes there, 64 hexadecimal digits
 * @param tables the tables in it by name; none in a part that holds a plain file
 */
record BackupPart(String name, long bytes, String sha256, Map<String, Content> tables) {

    static final String CONTROL = "control/";
    static final String TELEMETRY = "telemetry/";
    static final String FILES = "files/";
    /** End of the names of day files. */
    static final String DAY = ".duckdb";

    /** End of the names of exported tables. */
    static final String ROWS = ".jsonl";

    /** No segment begins with a dot, so a name leads nowhere else. */
    private static final Pattern NAME = Pattern.compile(
            "(?:control|telemetry|files)(?:/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){1,3}");

    /**
     * A table of a part.
     *
     * @param sum sum of its rows; absent for telemetry, where the part's hash stands for it
     */
    record Content(long rows, @Nullable String sum) {}

    /** Reports whether it is a day file, not roll-ups of one. */
    boolean isDay() {
        return name.startsWith(TELEMETRY) && name.endsWith(DAY);
    }

    BackupPart {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(name + ": not the name of a part");
        }
        Objects.requireNonNull(sha256);
        tables = new TreeMap<>(tables);
    }
}
