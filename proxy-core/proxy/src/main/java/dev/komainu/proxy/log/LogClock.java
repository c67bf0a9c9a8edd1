package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.Ascii;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The text of a second, formatted once for all lines of this second. One per event loop. */
final class LogClock {

    private static final DateTimeFormatter COMMON =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final DateTimeFormatter common;
    private long second = Long.MIN_VALUE;
    private byte[] text = new byte[0];

    /** Creates a clock that writes times of this system's zone, with its offset at that instant. */
    LogClock() {
        this(ZoneId.systemDefault());
    }

    LogClock(ZoneId zone) {
        this.common = COMMON.withZone(zone);
    }

    /** Returns {@code 22/Nov/2026:02:43:19 +0000}. */
    byte[] common(long wallMillis) {
        return format(wallMillis, common);
    }

    /** Returns {@code 2026-11-22T02:43:19} in UTC. */
    byte[] iso(long wallMillis) {
        return format(wallMillis, ISO);
    }

    private byte[] format(long wallMillis, DateTimeFormatter formatter) {
        long current = Math.floorDiv(wallMillis, 1000L);
        if (current != second) {
            second = current;
            text = Ascii.bytes(formatter.format(Instant.ofEpochSecond(current)));
        }
        return text;
    }
}
