package dev.komainu.agent.order;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax of attributes of the Connector element. */
final class TomcatSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        int[] place = ConfigurationSyntax.line(text, line);
        return place == null ? null : attribute(text, place[0], setting, requested);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        // A comment may contain another Connector, which is not the Connector of this port.
        String blank = blanked(text);
        Matcher connector = Pattern.compile(
                        "<Connector\\b[^>]*\\bport\\s*=\\s*\"" + port + "\"[^>]*>")
                .matcher(blank);
        return connector.find() ? attribute(text, connector.start(), setting, requested) : null;
    }

    private static @Nullable String attribute(
            String text, int from, String setting, String requested) {
        int open = text.indexOf('<', from);
        int end = open < 0 ? -1 : text.indexOf('>', open);
        if (end < 0) {
            return null;
        }
        Matcher attribute = Pattern.compile(
                        "\\b" + Pattern.quote(setting) + "\\s*=\\s*[\"']([^\"']*)[\"']")
                .matcher(text)
                .region(open, end);
        if (attribute.find()) {
            return text.substring(0, attribute.start(1))
                    + requested
                    + text.substring(attribute.end(1));
        }
        Matcher name = Pattern.compile("<\\w+").matcher(text).region(open, end);
        return name.find()
                ? text.substring(0, name.end()) + " " + setting + "=\"" + requested + "\""
                        + text.substring(name.end())
                : null;
    }

    private static String blanked(String text) {
        Matcher comment = Pattern.compile("<!--.*?-->", Pattern.DOTALL).matcher(text);
        return comment.replaceAll(match -> " ".repeat(match.group().length()));
    }
}
