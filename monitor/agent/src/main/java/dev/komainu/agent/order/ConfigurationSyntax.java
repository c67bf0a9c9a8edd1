package dev.komainu.agent.order;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a server's configuration is written, as far as one value in it is exchanged or added.
 * Everything else of the text stays as it is, to the byte. Texts hold one character a byte. Pure.
 */
interface ConfigurationSyntax {

    /**
     * The text with another value where discovery found the setting; null when it is not written
     * there in a way that is understood.
     *
     * @param line where it was found, from 1
     */
    @Nullable
    String replaced(String text, int line, String setting, String wanted);

    /**
     * The text with the setting added where it holds for the server; null when this file has no
     * such place.
     */
    @Nullable
    String inserted(String text, String setting, String wanted, int port);

    /**
     * Where line {@code number} (from 1) begins and ends, without its end; null beyond the last.
     */
    static int @Nullable [] line(String text, int number) {
        int from = 0;
        for (int i = 1; i < number; i++) {
            from = text.indexOf('\n', from) + 1;
            if (from == 0) {
                return null;
            }
        }
        int end = text.indexOf('\n', from);
        int to = end < 0 ? text.length() : end;
        return new int[] {from, to > from && text.charAt(to - 1) == '\r' ? to - 1 : to};
    }

    /** Exchanges what group 1 of the pattern matched in one line; null when nothing does. */
    static @Nullable String exchange(String text, int line, Pattern pattern, String wanted) {
        int[] place = line(text, line);
        if (place == null) {
            return null;
        }
        Matcher matcher = pattern.matcher(text).region(place[0], place[1]);
        return matcher.find()
                ? text.substring(0, matcher.start(1)) + wanted + text.substring(matcher.end(1))
                : null;
    }

    /** With a line added behind everything. */
    static String appended(String text, String line) {
        String end = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
        return text + end + line + "\n";
    }

    /** With something put behind the first match of a pattern; null when there is none. */
    static @Nullable String behind(String text, Pattern pattern, String addition) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find()
                ? text.substring(0, matcher.end()) + addition + text.substring(matcher.end())
                : null;
    }
}
