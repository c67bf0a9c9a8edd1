package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of assignments in a Python file, at the outermost level: {@code workers = 4}. A word
 * is written in quotes.
 */
final class GunicornSyntax implements ConfigurationSyntax {

    private static final Pattern BARE = Pattern.compile("-?\\d+|True|False|None");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile(
                        "^" + Pattern.quote(setting)
                                + "(?:[ \\t]*:[^=\\n]*)?[ \\t]*=[ \\t]*(\"[^\"\\n]*\"|'[^'\\n]*'|-?\\w+)[ \\t]*(?:#.*)?$"),
                literal(requested));
    }

    @Override
    public String inserted(String text, String setting, String requested, int port) {
        return ConfigurationSyntax.appended(text, setting + " = " + literal(requested));
    }

    private static String literal(String requested) {
        return BARE.matcher(requested).matches() ? requested : "\"" + requested + "\"";
    }
}
