package dev.komainu.agent.accesslog;

import dev.komainu.agent.accesslog.LogField.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pattern of a log line: constant texts and variables between them. A variable ends where the next
 * text is found; inside quotes an escaped quote does not end it. Immutable; reading allocates
 * nothing.
 */
public final class LogLinePattern {

    /** httpd.apache.org, mod_log_config; nginx.org has the same lines. */
    private static final String COMMON = "%h %l %u %t \"%r\" %>s %b";

    private static final String COMBINED = COMMON + " \"%{Referer}i\" \"%{User-Agent}i\"";
    /** nginx logs a request when it ends, Apache with the time of its begin. */
    private static final String NGINX_COMBINED =
            "$remote_addr - $remote_user [$time_local] \"$request\" $status"
                    + " $body_bytes_sent \"$http_referer\" \"$http_user_agent\"";

    private static final String SQUID =
            "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt";

    private static final int MOST_FIELDS = 200;

    private final String name;
    /** Constant texts, one more than fields: before each field, and behind the last. */
    private final List<byte[]> texts;

    private final List<LogField> fields;
    private final boolean padded;

    private LogLinePattern(String name, List<byte[]> texts, List<LogField> fields, boolean padded) {
        this.name = name;
        this.texts = texts;
        this.fields = fields;
        this.padded = padded;
    }

    /** Builder of a pattern from the pieces of a format. */
    static final class Pieces {
        private final List<byte[]> texts = new ArrayList<>();
        private final List<LogField> fields = new ArrayList<>();
        private final StringBuilder text = new StringBuilder();

        void text(char c) {
            text.append(c);
        }

        void field(LogField field) throws UnreadableFormatException {
            if (text.isEmpty() && !fields.isEmpty()) {
                if (field.equals(LogField.SKIPPED) && fields.getLast().equals(LogField.SKIPPED)) {
                    return;
                }
                throw new UnreadableFormatException(
                        "two variables side by side (expected: a text between variables, to separate them)");
            }
            if (fields.size() >= MOST_FIELDS) {
                throw new UnreadableFormatException("more than " + MOST_FIELDS + " variables");
            }
            texts.add(text.toString().getBytes(StandardCharsets.UTF_8));
            text.setLength(0);
            fields.add(field);
        }

        private LogLinePattern finish(String name, boolean padded)
                throws UnreadableFormatException {
            texts.add(text.toString().getBytes(StandardCharsets.UTF_8));
            keepFinest();
            if (fields.stream().noneMatch(field -> field.kind().isTime())) {
                throw new UnreadableFormatException(
                        "no readable time (expected: $time_local, $time_iso8601, $msec, %t,"
                                + " %ts or similar)");
            }
            return new LogLinePattern(name, List.copyOf(texts), List.copyOf(fields), padded);
        }

        /**
         * Keeps the finest of several times and durations; a fraction belongs to a time of whole
         * seconds.
         */
        // By identity: of two equal variables one is kept.
        @SuppressWarnings("ReferenceEquality")
        private void keepFinest() {
            LogField time = finest(true);
            LogField duration = finest(false);
            for (int i = 0; i < fields.size(); i++) {
                LogField field = fields.get(i);
                boolean other = (field.kind().isTime() && field != time)
                        || (field.kind().isDuration() && field != duration);
                boolean redundant = field.kind().isFraction()
                        && (time == null || time.stepMicros() < 1_000_000);
                if (other || redundant) {
                    fields.set(i, LogField.SKIPPED);
                }
            }
        }

        private @Nullable LogField finest(boolean time) {
            LogField best = null;
            for (LogField field : fields) {
                boolean selected = time ? field.kind().isTime() : field.kind().isDuration();
                if (selected && (best == null || field.stepMicros() < best.stepMicros())) {
                    best = field;
                }
            }
            return best;
        }
    }

    /**
     * Compiles a format.
     *
     * @param format {@code common}, {@code combined} or {@code squid}, or a format in the dialect's
     *     variables
     * @throws UnreadableFormatException when the format contains no readable time, or its variables
     *     cannot be separated
     */
    public static LogLinePattern compile(LogDialect dialect, String format)
            throws UnreadableFormatException {
        Pieces pieces = new Pieces();
        switch (dialect) {
            case NGINX -> NginxVariables.split(named(format, COMMON, NGINX_COMBINED), pieces);
            case APACHE, TOMCAT, OLD_TOMCAT ->
                ApacheVariables.split(named(format, COMMON, COMBINED), dialect, pieces);
            case SQUID -> SquidVariables.split(format.equals("squid") ? SQUID : format, pieces);
        }
        String name =
                format.equals("common") || format.equals("combined") ? format : dialect.label();
        return pieces.finish(name, dialect == LogDialect.SQUID);
    }

    /** Compiles a format in the dialect that its variables suggest. */
    public static LogLinePattern compile(String format) throws UnreadableFormatException {
        if (format.equals("squid")
                || format.contains("%ts")
                || format.contains("%tl")
                || format.contains("%>Hs")) {
            return compile(LogDialect.SQUID, format);
        }
        return compile(format.indexOf('$') >= 0 ? LogDialect.NGINX : LogDialect.APACHE, format);
    }

    private static String named(String format, String common, String combined) {
        return switch (format) {
            case "common" -> common;
            case "combined" -> combined;
            default -> format;
        };
    }

    /** Returns the name used in {@link dev.komainu.telemetry.record.AccessLogWindow#format}. */
    public String name() {
        return name;
    }

    /** Reports whether a line contains the request's duration. */
    public boolean hasDurations() {
        return fields.stream().anyMatch(field -> field.kind().isDuration());
    }

    /** Returns the smallest step of the lines' times, microseconds. */
    public long resolutionMicros() {
        long step = 1_000_000;
        for (LogField field : fields) {
            if (field.kind().isTime() || field.kind().isFraction()) {
                step = Math.min(step, field.stepMicros());
            }
        }
        return step;
    }

    /** Reports whether a line's time is that of the request's begin. */
    boolean isTimedAtBegin() {
        return fields.stream().anyMatch(field -> field.kind().isTime() && field.atBegin());
    }

    /** Reads a line without its end; false when it does not match this format. */
    boolean read(byte[] line, int from, int to, ParsedLogLine into) {
        into.clear();
        int at = from;
        if (!startsWith(line, at, to, texts.getFirst())) {
            return false;
        }
        at += texts.getFirst().length;
        long fraction = 0;
        for (int i = 0; i < fields.size(); i++) {
            while (padded && at < to && line[at] == ' ') {
                at++;
            }
            byte[] next = texts.get(i + 1);
            LogField field = fields.get(i);
            int end = end(field, line, at, to, next);
            if (end < 0) {
                return false;
            }
            if (field.kind() != Kind.SKIPPED) {
                long part = readValue(field, line, at, end, into);
                if (part == ParsedLogLine.ABSENT) {
                    return false;
                }
                fraction += part;
            }
            at = end + next.length;
        }
        into.timeMicros += fraction;
        return at == to && into.timeMicros > 0;
    }

    /**
     * Returns the end of a variable: a time may contain the text that follows it, but has a fixed
     * width.
     */
    private static int end(LogField field, byte[] line, int at, int to, byte[] next) {
        int width = switch (field.kind()) {
            case COMMON_TIME -> at < to && line[at] == '[' ? 28 : 26;
            case PATTERN_TIME -> LogTime.width(field.pattern() == null ? "" : field.pattern());
            default -> 0;
        };
        if (width > 0) {
            return at + width <= to && startsWith(line, at + width, to, next) ? at + width : -1;
        }
        return next.length == 0 ? to : find(line, at, to, next, field.list());
    }

    /**
     * Reads a value; returns the fraction of a second that it contains, 0 for any other value,
     * {@link ParsedLogLine#ABSENT} for a required value that is missing.
     */
    private static long readValue(
            LogField field, byte[] line, int from, int to, ParsedLogLine into) {
        switch (field.kind()) {
            case COMMON_TIME -> into.timeMicros = LogTime.common(line, from, to);
            case ISO_TIME -> into.timeMicros = LogTime.iso(line, from, to);
            case EPOCH_SECONDS -> into.timeMicros = LogTime.decimal(line, from, to);
            case EPOCH_MILLIS ->
                into.timeMicros =
                        scaled(LogTime.number(line, from, Math.min(to, from + 15)), 1_000);
            case EPOCH_MICROS -> into.timeMicros = LogTime.number(line, from, to);
            case PATTERN_TIME ->
                into.timeMicros = LogTime.byPattern(
                        line, from, to, field.pattern() == null ? "" : field.pattern());
            case FRACTION_MILLIS -> {
                return scaled(LogTime.number(line, from, Math.min(to, from + 6)), 1_000);
            }
            case FRACTION_MICROS -> {
                return LogTime.number(line, from, Math.min(to, from + 6));
            }
            case DURATION_SECONDS -> into.durationMicros = LogTime.decimal(line, from, to);
            case DURATION_MILLIS ->
                into.durationMicros = scaled(LogTime.number(line, from, to), 1_000);
            case DURATION_MICROS -> into.durationMicros = LogTime.number(line, from, to);
            case STATUS -> into.status = LogTime.number(line, from, to);
            case BYTES -> into.bytes = isDash(line, from, to) ? 0 : LogTime.number(line, from, to);
            case PORT -> into.port = LogTime.number(line, from, to);
            case REQUEST -> into.request = hash(line, from, to);
            case SKIPPED -> {}
        }
        return (field.kind().isTime() && into.timeMicros == ParsedLogLine.ABSENT)
                        || (field.kind() == Kind.BYTES && into.bytes == ParsedLogLine.ABSENT)
                ? ParsedLogLine.ABSENT
                : 0;
    }

    /** Returns a hash that is never {@link ParsedLogLine#ABSENT} (FNV-1a). */
    private static long hash(byte[] line, int from, int to) {
        long hash = 0xcbf29ce484222325L;
        for (int at = from; at < to; at++) {
            hash = (hash ^ (line[at] & 0xff)) * 0x100000001b3L;
        }
        return hash == ParsedLogLine.ABSENT ? 0 : hash;
    }

    private static long scaled(long value, long by) {
        return value < 0 || value > Long.MAX_VALUE / by ? ParsedLogLine.ABSENT : value * by;
    }

    private static boolean isDash(byte[] line, int from, int to) {
        return to - from == 1 && line[from] == '-';
    }

    private static boolean startsWith(byte[] line, int at, int to, byte[] text) {
        if (to - at < text.length) {
            return false;
        }
        for (int i = 0; i < text.length; i++) {
            if (line[at + i] != text[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the index at which the text begins next, or -1. */
    private static int find(byte[] line, int from, int to, byte[] text, boolean list) {
        boolean quoted = text[0] == '"';
        for (int at = from; at + text.length <= to; at++) {
            if (quoted && line[at] == '\\') {
                at++;
            } else if (line[at] == text[0]
                    && startsWith(line, at, to, text)
                    && !(list && isWithinList(line, at, from, to))) {
                return at;
            }
        }
        return -1;
    }

    /**
     * Reports whether the index is within a list of nginx: servers that received the request one
     * after the other are separated by ", ", groups of them by " : ".
     */
    private static boolean isWithinList(byte[] line, int at, int from, int to) {
        return (at > from && (line[at - 1] == ',' || line[at - 1] == ':'))
                || (at + 1 < to && line[at + 1] == ':');
    }
}
