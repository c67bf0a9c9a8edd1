package dev.komainu.agent.discovery.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a command line by the settings they set: {@code --workers 4}, {@code --workers=4},
 * {@code -w 4}, {@code -w4}, and switches without a value. Pure.
 */
public final class CommandOptions {

    private static final int MAX_ARGUMENTS = 10_000;

    /**
     * An option as written.
     *
     * @param flag as written, such as {@code -w}
     * @param setting the setting it sets
     * @param value its value; {@code true} for a switch
     */
    public record Option(String flag, String setting, String value) {}

    private CommandOptions() {}

    /**
     * Returns the known options in their order.
     *
     * @param arguments command line, the program first
     * @param values settings by the flags that take a value
     * @param switches settings by the flags without a value
     */
    public static List<Option> of(
            List<String> arguments, Map<String, String> values, Map<String, String> switches) {
        List<Option> options = new ArrayList<>();
        int count = Math.min(arguments.size(), MAX_ARGUMENTS);
        for (int i = 1; i < count; i++) {
            String argument = arguments.get(i);
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String flag = equals < 0 ? argument : argument.substring(0, equals);
            String setting = values.get(flag);
            if (setting != null && equals >= 0) {
                options.add(new Option(flag, setting, argument.substring(equals + 1)));
            } else if (setting != null && i + 1 < count) {
                options.add(new Option(flag, setting, arguments.get(++i)));
            } else if (switches.containsKey(argument)) {
                options.add(new Option(argument, switches.getOrDefault(argument, ""), "true"));
            } else {
                Option glued = glued(argument, values);
                if (glued != null) {
                    options.add(glued);
                }
            }
        }
        return options;
    }

    /** Returns {@code -w4} as an option; null for another argument. */
    private static @Nullable Option glued(String argument, Map<String, String> values) {
        if (argument.length() < 3 || argument.charAt(0) != '-' || argument.charAt(1) == '-') {
            return null;
        }
        String flag = argument.substring(0, 2);
        String setting = values.get(flag);
        return setting == null ? null : new Option(flag, setting, argument.substring(2));
    }
}
