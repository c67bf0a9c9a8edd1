package dev.komainu.agent.order;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code Name value}, names without regard to case. */
final class ApacheSyntax implements ConfigurationSyntax {

    private static final Map<String, String> OLD_NAMES = Map.of(
            "MaxRequestWorkers", "MaxClients", "MaxConnectionsPerChild", "MaxRequestsPerChild");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String wanted) {
        String old = OLD_NAMES.get(setting);
        String names = Pattern.quote(setting) + (old == null ? "" : "|" + Pattern.quote(old));
        Pattern pattern = Pattern.compile(
                "^[ \\t]*(?:" + names + ")[ \\t]+([^\\s].*?)[ \\t]*$", Pattern.CASE_INSENSITIVE);
        return ConfigurationSyntax.exchange(text, line, pattern, wanted);
    }

    /** The main file's end: what is said last for the whole server wins. */
    @Override
    public String inserted(String text, String setting, String wanted, int port) {
        return ConfigurationSyntax.appended(text, setting + " " + wanted);
    }
}
