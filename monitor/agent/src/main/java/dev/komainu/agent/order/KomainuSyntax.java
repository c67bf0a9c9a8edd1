package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Our proxy's YAML: the last part of a dotted name is the key, wherever it is nested; dotted names
 * may stand whole.
 */
final class KomainuSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String wanted) {
        String key = setting.substring(setting.lastIndexOf('.') + 1);
        String names = Pattern.quote(setting) + "|" + Pattern.quote(key);
        return ConfigurationSyntax.exchange(
                text,
                line,
                Pattern.compile("(?:^|[\\s{,])[\"']?(?:" + names
                        + ")[\"']?[ \\t]*:[ \\t]+[\"']?([^\\s\"'#,}]+)"),
                wanted);
    }

    @Override
    public String inserted(String text, String setting, String wanted, int port) {
        return ConfigurationSyntax.appended(text, setting + ": " + wanted);
    }
}
