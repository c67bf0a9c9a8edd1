package dev.komainu.agent.accesslog;

import dev.komainu.agent.accesslog.LogField.Kind;
import java.util.Locale;

/**
 * Parser of an nginx {@code log_format} (nginx.org, ngx_http_log_module and core variables). Pure.
 */
final class NginxVariables {

    private NginxVariables() {}

    static void split(String format, LogLinePattern.Pieces pieces)
            throws UnreadableFormatException {
        int at = 0;
        while (at < format.length()) {
            char c = format.charAt(at);
            if (c != '$' || at + 1 == format.length()) {
                pieces.text(c);
                at++;
                continue;
            }
            boolean braced = format.charAt(at + 1) == '{';
            int from = braced ? at + 2 : at + 1;
            int to = from;
            while (to < format.length() && isName(format.charAt(to))) {
                to++;
            }
            pieces.field(field(format.substring(from, to)));
            at = braced ? to + 1 : to;
        }
    }

    private static boolean isName(char c) {
        return c == '_'
                || (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z');
    }

    private static LogField field(String variable) {
        return switch (variable.toLowerCase(Locale.ROOT)) {
            case "time_local" -> LogField.timed(Kind.COMMON_TIME, 1_000_000, false);
            case "time_iso8601" -> LogField.timed(Kind.ISO_TIME, 1_000_000, false);
            case "msec" -> LogField.timed(Kind.EPOCH_SECONDS, 1_000, false);
            case "request_time" -> LogField.timed(Kind.DURATION_SECONDS, 1_000, false);
            case "status" -> LogField.of(Kind.STATUS);
            case "request", "request_uri" -> LogField.of(Kind.REQUEST);
            case "body_bytes_sent", "bytes_sent" -> LogField.of(Kind.BYTES);
            case "server_port" -> LogField.of(Kind.PORT);
            default -> variable.startsWith("upstream_") ? LogField.SKIPPED_LIST : LogField.SKIPPED;
        };
    }
}
