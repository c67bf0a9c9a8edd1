package dev.komainu.central;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of the start. Spring reads settings from the class path and from the file of
 * {@code --config}, and from no other place: a file in the working directory may be another user's,
 * and settings can run code (an H2 URL with INIT).
 */
final class StartArguments {

    private static final String CONFIG = "--config=";
    private static final String LOCATION = "--spring.config.";

    private StartArguments() {}

    /**
     * Returns the arguments for Spring.
     *
     * @param mistakes receives a line for each mistake
     */
    static String[] of(String[] given, List<String> mistakes) {
        List<String> arguments = new ArrayList<>();
        StringBuilder locations = new StringBuilder("classpath:/");
        for (String argument : given) {
            if (argument.startsWith(CONFIG)) {
                locations.append(",file:").append(file(argument, mistakes));
            } else if (argument.startsWith(LOCATION)) {
                mistakes.add(argument + ": not a setting (expected: --config=FILE)");
            } else if (argument.startsWith("--")) {
                arguments.add(argument);
            } else {
                mistakes.add(argument + ": not a setting (expected: --SETTING=VALUE; see --help)");
            }
        }
        // A command-line argument has precedence over variables and system properties.
        arguments.add("--spring.config.location=" + locations);
        arguments.add("--spring.config.additional-location=");
        return arguments.toArray(String[]::new);
    }

    private static Path file(String argument, List<String> mistakes) {
        Path file = Path.of(argument.substring(CONFIG.length())).toAbsolutePath();
        if (!file.toString().matches(".*\\.(ya?ml|properties)") || !Files.isReadable(file)) {
            mistakes.add(
                    argument
                            + ": cannot be read (expected: a file that ends in .yml, .yaml or .properties)");
        }
        return file;
    }
}
