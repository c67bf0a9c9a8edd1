package dev.komainu.agent.discovery;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration file that a command line names. Two processes of one program with different
 * files are two servers.
 */
final class ConfigurationArgument {

    /** The options of nginx ({@code -c}), Apache, HAProxy, Squid and Varnish ({@code -f}). */
    private static final Pattern NAMED =
            Pattern.compile("(?:^|[\\s\\x00])-[cf][\\s\\x00]+([^-\\s\\x00][^\\s\\x00]*)");

    private ConfigurationArgument() {}

    /** Reports whether both command lines name a file, and not the same one. */
    static boolean differ(String one, String other) {
        String first = of(one);
        String second = of(other);
        return first != null && second != null && !first.equals(second);
    }

    private static @Nullable String of(String commandLine) {
        Matcher matcher = NAMED.matcher(commandLine);
        return matcher.find() ? matcher.group(1) : null;
    }
}
