package dev.komainu.agent.discovery.configuration;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The redaction of a log's path and format before they leave the host. Both are free text, which
 * the value filter cannot check. Of a format, the directives, the names before a colon or an equals
 * sign, and short words stay; any other word becomes {@code ***}. Pure.
 */
final class Redaction {

    private static final int SHORT = 5;
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9_./{}:+,%-]{0,300}");

    /** A directive of nginx, or one of Apache, Tomcat or Squid, else a word. */
    private static final Pattern PART = Pattern.compile("(\\$\\{[A-Za-z0-9_]+}|\\$[A-Za-z0-9_]+"
            + "|%[<>!0-9,.'\"\\[-]*\\{[A-Za-z0-9_:./ %-]{1,60}}\\^?[<>]?[A-Za-z_]{0,12}"
            + "|%[<>!0-9,.'\"#/\\[-]*[a-zA-Z]{1,2}(?:::[<>a-z_]+)?[a-z]{0,4})"
            + "|([^\\s\"'\\[\\](){}|,;$%:=]+)(?=([\"']?(?:=|\\s?:\\s?)[\"'$%{\\[])?)");

    private static final Pattern KEY = Pattern.compile("[A-Za-z_.-]{1,40}");

    private Redaction() {}

    static String format(String text) {
        Matcher matcher = PART.matcher(text);
        return matcher.replaceAll(match -> {
            String word = match.group(2);
            boolean key =
                    word != null && match.group(3) != null && KEY.matcher(word).matches();
            boolean stays = word == null || word.length() <= SHORT || key;
            return Matcher.quoteReplacement(stays ? match.group() : "***");
        });
    }

    /** Returns the path, or an empty text when it is no plain path. */
    static String path(String text) {
        return PATH.matcher(text).matches() ? text : "";
    }
}
