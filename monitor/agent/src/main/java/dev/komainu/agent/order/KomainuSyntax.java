package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of the proxy's YAML: the last part of a dotted name is the key at any nesting level;
 * dotted names may also be written in full.
 */
final class KomainuSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        String key = setting.substring(setting.lastIndexOf('.') + 1);
        String names = Pattern.quote(setting) + "|" + Pattern.quote(key);
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("(?:^|[\\s{,])[\"']?(?:" + names
                        + ")[\"']?[ \\t]*:[ \\t]+[\"']?([^\\s\"'#,}]+)"),
                requested);
    }

    @Override
    public String inserted(String text, String setting, String requested, int port) {
        return ConfigurationSyntax.appended(text, setting + ": " + requested);
    }
}
