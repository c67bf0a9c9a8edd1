package dev.komainu.agent.order;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The syntax of uWSGI's files: {@code name = value} (INI), {@code <name>value</name>} (XML) or
 * {@code name: value} (YAML). {@code processes} may be written {@code workers}, and a dash as an
 * underscore.
 */
final class UwsgiSyntax implements ConfigurationSyntax {

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        String written = setting.replace("-", "[_-]");
        String names = setting.equals("processes") ? "(?:processes|workers|p)" : written;
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("(?:^[ \\t]*" + names + "[ \\t]*(?:=[ \\t]*|:[ \\t]+)|<" + names
                        + ">[ \\t]*)[\"']?([\\w.-]+)"),
                requested);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        String ini = ConfigurationSyntax.insertAfter(
                text,
                Pattern.compile("(?m)^[ \\t]*\\[uwsgi\\][^\\n]*"),
                "\n" + setting + " = " + requested);
        if (ini != null) {
            return ini;
        }
        String xml = ConfigurationSyntax.insertAfter(
                text,
                Pattern.compile("<uwsgi(?:[ \\t][^>\\n]*)?>"),
                "\n  <" + setting + ">" + requested + "</" + setting + ">");
        return xml != null
                ? xml
                : ConfigurationSyntax.insertAfter(
                        text,
                        Pattern.compile("(?m)^uwsgi:[ \\t]*$"),
                        "\n  " + setting + ": " + requested);
    }
}
