package dev.komainu.agent.order;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of one kind of server's configuration, for the replacement or insertion of one value.
 * All other bytes of the text stay the same. Texts have one character per byte. Pure.
 */
interface ConfigurationSyntax {

    /**
     * Returns the text with another value at the place where discovery found the setting; null when
     * it is not written there in a supported form.
     *
     * @param line the line of the setting, from 1
     */
    @Nullable
    String replaced(String text, int line, String setting, String requested);

    /**
     * Returns the text with the setting inserted where it applies to the server; null when this
     * file has no such place.
     */
    @Nullable
    String inserted(String text, String setting, String requested, int port);

    /**
     * Returns start and end of a line, without its line break; null after the last line.
     *
     * @param number of the line, from 1
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

    /** Replaces the match of the pattern's group 1 in one line; null without a match. */
    static @Nullable String replace(String text, int line, Pattern pattern, String requested) {
        int[] place = line(text, line);
        if (place == null) {
            return null;
        }
        Matcher matcher = pattern.matcher(text).region(place[0], place[1]);
        return matcher.find()
                ? text.substring(0, matcher.start(1)) + requested + text.substring(matcher.end(1))
                : null;
    }

    /** Returns the text with a line appended. */
    static String appended(String text, String line) {
        String end = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
        return text + end + line + "\n";
    }

    /**
     * Returns the text with an addition after the first match of a pattern; null without a match.
     */
    static @Nullable String insertAfter(String text, Pattern pattern, String addition) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find()
                ? text.substring(0, matcher.end()) + addition + text.substring(matcher.end())
                : null;
    }
}
