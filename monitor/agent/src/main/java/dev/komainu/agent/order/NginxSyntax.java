package dev.komainu.agent.order;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax {@code name value;} in blocks, with several directives per line. */
final class NginxSyntax implements ConfigurationSyntax {

    private static final List<String> MAIN = List.of(
            "worker_processes", "worker_rlimit_nofile", "worker_shutdown_timeout", "thread_pool");
    private static final List<String> EVENTS = List.of(
            "worker_connections", "worker_aio_requests", "use", "multi_accept", "accept_mutex");
    private static final List<String> LISTEN = List.of(
            "backlog",
            "reuseport",
            "deferred",
            "fastopen",
            "so_keepalive",
            "rcvbuf",
            "sndbuf",
            "ssl");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        if (LISTEN.contains(setting)) {
            return ConfigurationSyntax.replace(
                    text,
                    line,
                    Pattern.compile("\\blisten\\s[^;#]*?\\b" + setting + "=([^\\s;]+)"),
                    requested);
        }
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("(?<![\\w$-])" + Pattern.quote(setting) + "\\s+([^;#]*?)\\s*;"),
                requested);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        if (LISTEN.contains(setting)) {
            Matcher listen = Pattern.compile("(?m)^[^#\\n]*?\\blisten\\s+(?:[^;#\\s]*:)?" + port
                            + "(?=[\\s;])([^;#]*)")
                    .matcher(text);
            return listen.find() && !listen.group(1).contains(setting + "=")
                    ? text.substring(0, listen.end()) + " " + setting + "=" + requested
                            + text.substring(listen.end())
                    : null;
        }
        String directive = setting + " " + requested + ";";
        if (MAIN.contains(setting)) {
            return open("events").matcher(text).find() ? directive + "\n" + text : null;
        }
        String block = EVENTS.contains(setting) ? "events" : "http";
        return ConfigurationSyntax.insertAfter(text, open(block), "\n    " + directive);
    }

    private static Pattern open(String block) {
        return Pattern.compile("(?m)^[ \\t]*" + block + "\\s*\\{");
    }
}
