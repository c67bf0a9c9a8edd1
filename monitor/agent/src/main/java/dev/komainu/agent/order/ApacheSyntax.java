package dev.komainu.agent.order;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax {@code Name value}, with case-insensitive names. */
final class ApacheSyntax implements ConfigurationSyntax {

    private static final Map<String, String> OLD_NAMES = Map.of(
            "MaxRequestWorkers", "MaxClients", "MaxConnectionsPerChild", "MaxRequestsPerChild");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        String old = OLD_NAMES.get(setting);
        String names = Pattern.quote(setting) + (old == null ? "" : "|" + Pattern.quote(old));
        Pattern pattern = Pattern.compile(
                "^[ \\t]*(?:" + names + ")[ \\t]+([^\\s].*?)[ \\t]*$", Pattern.CASE_INSENSITIVE);
        return ConfigurationSyntax.replace(text, line, pattern, requested);
    }

    /** Appends to the main file: the last value for the whole server wins. */
    @Override
    public String inserted(String text, String setting, String requested, int port) {
        return ConfigurationSyntax.appended(text, setting + " " + requested);
    }
}
