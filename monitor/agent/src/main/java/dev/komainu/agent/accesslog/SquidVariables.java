package dev.komainu.agent.accesslog;

import dev.komainu.agent.accesslog.LogField.Kind;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a Squid {@code logformat} (squid-cache.org, logformat directive). Squid logs a request
 * when it ends. Pure.
 */
final class SquidVariables {

    /** Quoting, width, an argument, then the code; an argument may also stand behind. */
    private static final Pattern VARIABLE = Pattern.compile(
            "%[\"'\\[#/]?-?[0-9]*(?:\\.[0-9]+)?(?:\\{([^}]*)})?((?:[a-z_]+::)?[<>]?[a-zA-Z_]+)(?:\\{([^}]*)})?");

    private SquidVariables() {}

    static void split(String format, LogLinePattern.Pieces pieces)
            throws UnreadableFormatException {
        Matcher variable = VARIABLE.matcher(format);
        int at = 0;
        boolean fraction = format.contains("%ts.%03tu");
        while (at < format.length()) {
            char c = format.charAt(at);
            if (fraction && format.startsWith("%ts.%03tu", at)) {
                pieces.field(LogField.timed(Kind.EPOCH_SECONDS, 1_000, false));
                at += "%ts.%03tu".length();
            } else if (c == '%' && format.startsWith("%%", at)) {
                pieces.text('%');
                at += 2;
            } else if (c == '%' && variable.region(at, format.length()).lookingAt()) {
                String code = variable.group(2);
                String argument = variable.group(1) == null ? variable.group(3) : variable.group(1);
                pieces.field(field(code == null ? "" : code, argument));
                at = variable.end();
            } else {
                pieces.text(c);
                at++;
            }
        }
    }

    private static LogField field(String code, @Nullable String argument) {
        return switch (code) {
            case "ts" -> LogField.timed(Kind.EPOCH_SECONDS, 1_000_000, false);
            case "tu" -> LogField.timed(Kind.FRACTION_MILLIS, 1_000, false);
            case "tl" -> local(argument);
            case "tg" ->
                argument == null
                        ? LogField.timed(Kind.COMMON_TIME, 1_000_000, false)
                        : local(argument);
            case "tr" -> LogField.timed(Kind.DURATION_MILLIS, 1_000, false);
            case ">Hs", "Hs" -> LogField.of(Kind.STATUS);
            case "ru", ">ru" -> LogField.of(Kind.REQUEST);
            case "<st", "st" -> LogField.of(Kind.BYTES);
            case ">lp", "lp" -> LogField.of(Kind.PORT);
            default -> LogField.SKIPPED;
        };
    }

    private static LogField local(@Nullable String pattern) {
        if (pattern == null) {
            return LogField.timed(Kind.COMMON_TIME, 1_000_000, false);
        }
        return LogTime.isReadable(pattern)
                ? new LogField(Kind.PATTERN_TIME, 1_000_000, false, pattern, false)
                : LogField.SKIPPED;
    }
}
