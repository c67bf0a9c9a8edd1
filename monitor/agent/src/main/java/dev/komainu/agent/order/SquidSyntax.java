package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax {@code name value}, in which the last value wins. */
final class SquidSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("^[ \\t]*" + Pattern.quote(setting)
                        + "[ \\t]+([^#\\s][^#\\n]*?)[ \\t]*(?:#.*)?$"),
                requested);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        return setting.startsWith("cache_dir")
                ? null
                : ConfigurationSyntax.appended(text, setting + " " + requested);
    }
}
