package dev.komainu.proxy.log;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What tunes the access log.
 *
 * @param file where the lines go, appended; absent: no access log
 * @param format how a line looks (squid)
 * @param withQuery whether what follows a target's {@code ?} is written (false: it may hold secrets)
 * @param maxBytes size at which the file is rotated: 0, or 1 MB to 1 TB (0: never)
 * @param keep rotated files that are kept, {@code FILE.0} the newest: 0 to 1,000 (10); 0: the file is only opened anew
 */
public record LogSettings(@Nullable Path file, LogFormat format, boolean withQuery, long maxBytes, int keep) {

    public static final LogSettings DEFAULT = new LogSettings(null, LogFormat.SQUID, false, 0, 10);

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (maxBytes != 0 && (maxBytes < 1 << 20 || maxBytes > 1L << 40)) {
            problems.add("log.max-size: " + maxBytes + " (expected: 0, or 1MB to 1TB)");
        }
        if (keep < 0 || keep > 1000) {
            problems.add("log.keep: " + keep + " (expected: 0 to 1000)");
        }
        if (keep == 0 && maxBytes != 0) {
            problems.add("log.keep: 0 (expected: at least 1 beside log.max-size, or the file would never shrink)");
        }
    }
}
