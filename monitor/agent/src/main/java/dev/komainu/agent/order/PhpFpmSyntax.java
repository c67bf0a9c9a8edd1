package dev.komainu.agent.order;

import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The syntax {@code name = value} of php-fpm. A value of a pool is added after the {@code listen}
 * of the port, so that it is in the section of that pool.
 */
final class PhpFpmSyntax implements ConfigurationSyntax {

    private static final Set<String> GLOBAL = Set.of("process.max", "process_control_timeout");

    @Override
    public @Nullable String replaced(String text, int line, String setting, String requested) {
        return ConfigurationSyntax.replace(
                text,
                line,
                Pattern.compile("^[ \\t]*" + Pattern.quote(setting)
                        + "[ \\t]*=[ \\t]*([^;\\s][^;\\n]*?)[ \\t]*(?:;.*)?$"),
                requested);
    }

    @Override
    public @Nullable String inserted(String text, String setting, String requested, int port) {
        Pattern place = GLOBAL.contains(setting)
                ? Pattern.compile("(?m)^[ \\t]*\\[global\\][^\\n]*")
                : Pattern.compile("(?m)^[ \\t]*listen[ \\t]*=[ \\t]*\"?(?:[^\\n;]*:)?" + port
                        + "\"?[ \\t]*(?:;[^\\n]*)?$");
        return ConfigurationSyntax.insertAfter(text, place, "\n" + setting + " = " + requested);
    }
}
