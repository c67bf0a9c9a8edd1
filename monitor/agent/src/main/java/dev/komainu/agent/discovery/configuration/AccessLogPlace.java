package dev.komainu.agent.discovery.configuration;

import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The place and format of a server's access log. For reading the log on this host only: the format
 * is free text and must not leave the host unredacted.
 *
 * @param path absolute, as the server names it; a date in braces ({@code access{.yyyy-MM-dd}.txt},
 *     a {@link DateTimeFormatter} pattern) stands for the day of writing
 * @param format the line's format in directives of its {@code syntax}; aliases such as
 *     {@code combined} are expanded
 * @param syntax the server whose directives the format uses
 * @param root the prefix under which this host can open the path: {@code /}, or
 *     {@code /proc/PID/root} for a server in a container
 * @param source the file and line that define it, or the default
 */
public record AccessLogPlace(
        String path, String format, Syntax syntax, String root, String source) {

    /** The directives of an access log's format. */
    public enum Syntax {
        /** Example: {@code $remote_addr … "$request"}. */
        NGINX,
        /**
         * Example: {@code %h %l %u %t "%r" %>s %b}. Tomcat's valve uses nearly the same directives.
         */
        APACHE,
        TOMCAT,
        /** Example: {@code %ts.%03tu %6tr %>a …}. */
        SQUID
    }

    /** Returns the file as this host can open it at that time. */
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

    /** Omits the format. */
    @Override
    public String toString() {
        return "AccessLogPlace[" + path + ", " + syntax + ", " + source + "]";
    }
}
