package dev.komainu.agent.accesslog;

/**
 * Parser of the times in logs, in place and without allocation. Every method returns
 * {@link ParsedLogLine#ABSENT} for text that is not a time. Pure.
 */
final class LogTime {

    private static final long SECOND = 1_000_000;
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    /** Latest accepted time: the year 2200. */
    private static final long LATEST_SECONDS = 7_258_118_400L;

    private LogTime() {}

    /** Reads {@code 10/Oct/2000:13:55:36 -0700}, in brackets or not. */
    static long common(byte[] line, int from, int to) {
        int at = from < to && line[from] == '[' ? from + 1 : from;
        if (to - at < 26 || line[at + 2] != '/' || line[at + 6] != '/' || line[at + 11] != ':') {
            return ParsedLogLine.ABSENT;
        }
        int zone = zone(line, at + 21, to);
        return micros(
                digits(line, at + 7, 4),
                month(line, at + 3),
                digits(line, at, 2),
                digits(line, at + 12, 2),
                digits(line, at + 15, 2),
                digits(line, at + 18, 2),
                zone);
    }

    /** Reads {@code 2000-10-10T13:55:36-07:00}, {@code 2000-10-10T20:55:36.5Z}. */
    static long iso(byte[] line, int from, int to) {
        if (to - from < 20 || line[from + 4] != '-' || line[from + 13] != ':') {
            return ParsedLogLine.ABSENT;
        }
        int at = from + 19;
        long fraction = 0;
        if (line[at] == '.') {
            int end = at + 1;
            long scale = SECOND;
            while (end < to && line[end] >= '0' && line[end] <= '9') {
                scale /= 10;
                fraction += (line[end++] - '0') * scale;
            }
            at = end;
        }
        int zone = at < to && line[at] == 'Z' ? 0 : zone(line, at, to);
        long whole = micros(
                digits(line, from, 4),
                digits(line, from + 5, 2),
                digits(line, from + 8, 2),
                digits(line, from + 11, 2),
                digits(line, from + 14, 2),
                digits(line, from + 17, 2),
                zone);
        return whole == ParsedLogLine.ABSENT ? whole : whole + fraction;
    }

    /**
     * Reports whether {@link #byPattern} can read every letter of a strftime pattern, and the
     * letters form a whole instant.
     */
    static boolean isReadable(String pattern) {
        String letters = pattern.replaceAll("%[YmdHMSzbTFe]", "");
        boolean date = pattern.contains("%F")
                || (pattern.contains("%Y")
                        && (pattern.contains("%m") || pattern.contains("%b"))
                        && (pattern.contains("%d") || pattern.contains("%e")));
        boolean time = pattern.contains("%T")
                || (pattern.contains("%H") && pattern.contains("%M") && pattern.contains("%S"));
        return letters.indexOf('%') < 0 && date && time && pattern.contains("%z");
    }

    /** Returns the number of characters of a time in parts. */
    static int width(String pattern) {
        int width = 0;
        for (int i = 0; i < pattern.length(); i++) {
            if (pattern.charAt(i) != '%' || i + 1 == pattern.length()) {
                width++;
                continue;
            }
            width += switch (pattern.charAt(++i)) {
                case 'F' -> 10;
                case 'T' -> 8;
                case 'z' -> 5;
                case 'Y' -> 4;
                case 'b' -> 3;
                default -> 2;
            };
        }
        return width;
    }

    /** Reads a time in parts; {@link #isReadable} must be true for the pattern. */
    static long byPattern(byte[] line, int from, int to, String pattern) {
        long[] parts = {0, 0, 0, 0, 0, 0, 0};
        int at = from;
        String expanded = pattern.replace("%T", "%H:%M:%S").replace("%F", "%Y-%m-%d");
        for (int i = 0; i < expanded.length(); i++) {
            char c = expanded.charAt(i);
            if (c != '%') {
                if (at >= to || line[at++] != c) {
                    return ParsedLogLine.ABSENT;
                }
                continue;
            }
            char letter = expanded.charAt(++i);
            int width = letter == 'Y' ? 4 : letter == 'b' ? 3 : letter == 'z' ? 5 : 2;
            if (at + width > to) {
                return ParsedLogLine.ABSENT;
            }
            switch (letter) {
                case 'Y' -> parts[0] = digits(line, at, 4);
                case 'm' -> parts[1] = digits(line, at, 2);
                case 'b' -> parts[1] = month(line, at);
                case 'd' -> parts[2] = digits(line, at, 2);
                case 'e' ->
                    parts[2] = line[at] == ' ' ? digits(line, at + 1, 1) : digits(line, at, 2);
                case 'H' -> parts[3] = digits(line, at, 2);
                case 'M' -> parts[4] = digits(line, at, 2);
                case 'S' -> parts[5] = digits(line, at, 2);
                case 'z' -> parts[6] = zone(line, at, to);
                default -> {
                    return ParsedLogLine.ABSENT;
                }
            }
            at += width;
        }
        return micros(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]);
    }

    /** Reads seconds with or without a fraction, scaled to microseconds. */
    static long decimal(byte[] line, int from, int to) {
        long whole = 0;
        int at = from;
        while (at < to && line[at] >= '0' && line[at] <= '9' && at - from < 13) {
            whole = whole * 10 + line[at++] - '0';
        }
        if (at == from) {
            return ParsedLogLine.ABSENT;
        }
        long micros = whole * SECOND;
        if (at < to && line[at] == '.') {
            long scale = SECOND;
            for (at++; at < to && line[at] >= '0' && line[at] <= '9'; at++) {
                scale /= 10;
                micros += (line[at] - '0') * scale;
            }
        }
        return at == to ? micros : ParsedLogLine.ABSENT;
    }

    /** Reads a whole number of up to 18 digits. */
    static long number(byte[] line, int from, int to) {
        return to <= from || to - from > 18 ? ParsedLogLine.ABSENT : digits(line, from, to - from);
    }

    private static long digits(byte[] line, int from, int count) {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            if (line[i] < '0' || line[i] > '9') {
                return ParsedLogLine.ABSENT;
            }
            value = value * 10 + line[i] - '0';
        }
        return value;
    }

    private static long month(byte[] line, int at) {
        for (int i = 0; i < 12; i++) {
            if (line[at] == MONTHS.charAt(i * 3)
                    && line[at + 1] == MONTHS.charAt(i * 3 + 1)
                    && line[at + 2] == MONTHS.charAt(i * 3 + 2)) {
                return i + 1L;
            }
        }
        return ParsedLogLine.ABSENT;
    }

    /**
     * Returns the seconds east of Greenwich of {@code +0900} or {@code +09:00};
     * {@code Integer.MIN_VALUE} for any other text.
     */
    private static int zone(byte[] line, int at, int to) {
        if (to - at < 5 || (line[at] != '+' && line[at] != '-')) {
            return Integer.MIN_VALUE;
        }
        int colon = line[at + 3] == ':' ? 1 : 0;
        if (to - at < 5 + colon) {
            return Integer.MIN_VALUE;
        }
        long hours = digits(line, at + 1, 2);
        long minutes = digits(line, at + 3 + colon, 2);
        if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59) {
            return Integer.MIN_VALUE;
        }
        int seconds = (int) (hours * 3600 + minutes * 60);
        return line[at] == '-' ? -seconds : seconds;
    }

    private static long micros(
            long year, long month, long day, long hour, long minute, long second, long zone) {
        if (year < 1970
                || month < 1
                || month > 12
                || day < 1
                || day > 31
                || hour < 0
                || hour > 23
                || minute < 0
                || minute > 59
                || second < 0
                || second > 60
                || zone == Integer.MIN_VALUE) {
            return ParsedLogLine.ABSENT;
        }
        // Days of the proleptic Gregorian calendar, the year beginning in
        // March so that a leap day comes last.
        long y = month <= 2 ? year - 1 : year;
        long m = month <= 2 ? month + 9 : month - 3;
        long days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719_469;
        long seconds = days * 86_400 + hour * 3600 + minute * 60 + second - zone;
        return seconds < 0 || seconds > LATEST_SECONDS ? ParsedLogLine.ABSENT : seconds * SECOND;
    }
}
