package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code name value}; the last one wins. */
final class SquidSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String wanted) {
        return ConfigurationSyntax.exchange(
                text,
                line,
                Pattern.compile("^[ \\t]*" + Pattern.quote(setting)
                        + "[ \\t]+([^#\\s][^#\\n]*?)[ \\t]*(?:#.*)?$"),
                wanted);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String wanted, int port) {
        return setting.startsWith("cache_dir")
                ? null
                : ConfigurationSyntax.appended(text, setting + " " + wanted);
    }
}
