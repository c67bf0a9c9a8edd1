package dev.komainu.agent.discovery.configuration;

import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a server writes one line for each request, and how that line is made. For reading the log
 * on this host: the format is free text and may not leave it as it is.
 *
 * @param path as the server names it, absolute; a date in braces ({@code access{.yyyy-MM-dd}.txt},
 *     a {@link DateTimeFormatter} pattern) stands for the day of writing
 * @param format the line, in the directives of its {@code syntax}; aliases such as {@code combined}
 *     are spelt out
 * @param syntax whose directives those are
 * @param root put before the path it can be opened from here: {@code /}, or {@code /proc/PID/root}
 *     for a server in a container
 * @param source file and line that say so, or the default that does
 */
public record AccessLogPlace(
        String path, String format, Syntax syntax, String root, String source) {

    /** Whose format directives. */
    public enum Syntax {
        /** {@code $remote_addr … "$request"}. */
        NGINX,
        /** {@code %h %l %u %t "%r" %>s %b}; Tomcat's valve speaks nearly the same. */
        APACHE,
        TOMCAT,
        /** {@code %ts.%03tu %6tr %>a …}. */
        SQUID
    }

    /** The file as it can be opened on this host at that time. */
    public Path file(ZonedDateTime at) {
        String named = path;
        int open = named.indexOf('{');
        int close = named.indexOf('}', open + 1);
        if (open >= 0 && close > open) {
            String date = date(named.substring(open + 1, close), at);
            named = date == null
                    ? named
                    : named.substring(0, open) + date + named.substring(close + 1);
        }
        return root.equals("/") ? Path.of(named) : Path.of(root, named);
    }

    private static @Nullable String date(String pattern, ZonedDateTime at) {
        try {
            return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).format(at);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Without the format. */
    @Override
    public String toString() {
        return "AccessLogPlace[" + path + ", " + syntax + ", " + source + "]";
    }
}
