package dev.komainu.agent.order;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The syntax of keywords in sections. {@code frontend maxconn} is written {@code maxconn}. */
final class HaproxySyntax implements ConfigurationSyntax {

    private static final List<String> GLOBAL =
            List.of("maxconn", "nbthread", "nbproc", "tune.bufsize", "ulimit-n");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("(?<![\\w.-])" + keyword(setting) + "[ \\t]+([^\\s#]+)"),
                requested);
    }

    private static String keyword(String setting) {
        String written = setting.replaceFirst("^(frontend|bind) ", "");
        return Pattern.quote(written).replace(" ", "\\E[ \\t]+\\Q");
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        if (GLOBAL.contains(setting)) {
            return ConfigurationSyntax.insertAfter(
                    text,
                    Pattern.compile("(?m)^[ \\t]*global\\b[^\\n]*"),
                    "\n    " + setting + " " + requested);
        }
        if (setting.startsWith("timeout ")
                || setting.equals("backlog")
                || setting.equals("compression algo")
                || setting.equals("http-reuse")
                || setting.equals("frontend maxconn")) {
            String written = setting.replaceFirst("^frontend ", "");
            return ConfigurationSyntax.insertAfter(
                    text,
                    Pattern.compile("(?m)^[ \\t]*defaults\\b[^\\n]*"),
                    "\n    " + written + " " + requested);
        }
        return null;
    }
}
