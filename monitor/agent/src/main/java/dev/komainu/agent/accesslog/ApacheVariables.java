package dev.komainu.agent.accesslog;

import dev.komainu.agent.accesslog.LogField.Kind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser of an Apache {@code LogFormat} or the pattern of Tomcat's AccessLogValve
 * (httpd.apache.org, mod_log_config; tomcat.apache.org, Access Log Valve). The time is that of the
 * request's begin unless the format defines another. Pure.
 */
final class ApacheVariables {

    /** Conditions, {@code <} or {@code >}, an argument, one letter or {@code ^} and two. */
    private static final Pattern VARIABLE = Pattern.compile(
            "%(?:!?[0-9]{3}(?:,[0-9]{3})*)?[<>]?(?:\\{([^}]*)})?(\\^[a-zA-Z]{2}|[a-zA-Z])");

    private ApacheVariables() {}

    static void split(String format, LogDialect dialect, LogLinePattern.Pieces pieces)
            throws UnreadableFormatException {
        Matcher variable = VARIABLE.matcher(format);
        int at = 0;
        while (at < format.length()) {
            char c = format.charAt(at);
            if (c == '\\' && at + 1 < format.length()) {
                char escaped = format.charAt(at + 1);
                pieces.text(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped);
                at += 2;
            } else if (c == '%' && format.startsWith("%%", at)) {
                pieces.text('%');
                at += 2;
            } else if (c == '%' && variable.region(at, format.length()).lookingAt()) {
                String letter = variable.group(2);
                pieces.field(field(letter == null ? "" : letter, variable.group(1), dialect));
                at = variable.end();
            } else {
                pieces.text(c);
                at++;
            }
        }
    }

    private static LogField field(String letter, @Nullable String argument, LogDialect dialect) {
        return switch (letter) {
            case "t" -> time(argument);
            case "D" ->
                dialect == LogDialect.OLD_TOMCAT
                        ? LogField.timed(Kind.DURATION_MILLIS, 1_000, false)
                        : LogField.timed(Kind.DURATION_MICROS, 1, false);
            case "T" -> duration(argument == null ? "s" : argument, dialect);
            case "s" -> LogField.of(Kind.STATUS);
            case "r", "U" -> LogField.of(Kind.REQUEST);
            case "b", "B", "O" -> LogField.of(Kind.BYTES);
            case "p" -> "local".equals(argument) ? LogField.of(Kind.PORT) : LogField.SKIPPED;
            default -> LogField.SKIPPED;
        };
    }

    private static LogField duration(String unit, LogDialect dialect) {
        return switch (unit) {
            case "us" -> LogField.timed(Kind.DURATION_MICROS, 1, false);
            case "ms" -> LogField.timed(Kind.DURATION_MILLIS, 1_000, false);
            // Tomcat writes seconds with three decimals, Apache whole ones.
            case "s" ->
                LogField.timed(
                        Kind.DURATION_SECONDS,
                        dialect == LogDialect.APACHE ? 1_000_000 : 1_000,
                        false);
            default -> LogField.SKIPPED;
        };
    }

    private static LogField time(@Nullable String argument) {
        if (argument == null || argument.isEmpty()) {
            return LogField.timed(Kind.COMMON_TIME, 1_000_000, true);
        }
        boolean begin = !argument.startsWith("end");
        String pattern = argument.replaceFirst("^(begin|end)(:|$)", "");
        return switch (pattern) {
            case "" -> LogField.timed(Kind.COMMON_TIME, 1_000_000, begin);
            case "sec" -> LogField.timed(Kind.EPOCH_SECONDS, 1_000_000, begin);
            case "msec" -> LogField.timed(Kind.EPOCH_MILLIS, 1_000, begin);
            case "usec" -> LogField.timed(Kind.EPOCH_MICROS, 1, begin);
            case "msec_frac" -> LogField.timed(Kind.FRACTION_MILLIS, 1_000, begin);
            case "usec_frac" -> LogField.timed(Kind.FRACTION_MICROS, 1, begin);
            default ->
                LogTime.isReadable(pattern)
                        ? new LogField(Kind.PATTERN_TIME, 1_000_000, begin, pattern, false)
                        : LogField.SKIPPED;
        };
    }
}
