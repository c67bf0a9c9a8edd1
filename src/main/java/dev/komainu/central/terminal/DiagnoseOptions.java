package dev.komainu.central.terminal;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options from the command line, or from {@code KOMAINU_URL} and {@code KOMAINU_TOKEN}
 * ({@code up.env} holds both).
 *
 * @param service id of the service; empty with {@code help}
 * @param central address of the central service, without a slash at its end
 * @param language {@code en} or {@code ja}
 */
record DiagnoseOptions(
        String service, boolean json, String central, String token, String language, boolean help) {

    static final String HELP = """
            diagnose SERVICE: the flowchart walked for a service now, with its evidence, and the advice at its leaves
              --json             as the REST API gives it
              --central URL      central service (default $KOMAINU_URL, else http://127.0.0.1:7600)
              --token-file FILE  holds an API token with the scope metrics:read (default $KOMAINU_TOKEN itself)
              --language en|ja   of the texts (default en)
            Exit codes: 0 the service is normal, 1 it is not, 2 wrong usage, 3 no answer.
            """;

    /**
     * Parses the command line.
     *
     * @throws WrongUsageException with the wrong value and the expected one
     */
    static DiagnoseOptions of(String[] arguments, Map<String, String> environment)
            throws WrongUsageException {
        String service = null;
        boolean json = false;
        boolean help = false;
        String central = environment.getOrDefault("KOMAINU_URL", "http://127.0.0.1:7600");
        String token = environment.get("KOMAINU_TOKEN");
        String language = "en";
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.indexOf('=');
            String name = argument.startsWith("--") && equals > 0
                    ? argument.substring(0, equals)
                    : argument;
            String inlineValue = equals > 0 ? argument.substring(equals + 1) : null;
            switch (name) {
                case "--json" -> json = true;
                case "--help", "-h" -> help = true;
                case "--central", "--token-file", "--language" -> {
                    if (inlineValue == null && ++i >= arguments.length) {
                        throw new WrongUsageException(name + ": (expected: a value)");
                    }
                    String value = inlineValue == null ? arguments[i] : inlineValue;
                    switch (name) {
                        case "--central" -> central = value;
                        case "--token-file" -> token = read(value);
                        default -> language = value;
                    }
                }
                default -> {
                    if (argument.startsWith("-") || service != null) {
                        throw new WrongUsageException(
                                argument + ": (expected: diagnose SERVICE; see --help)");
                    }
                    service = argument;
                }
            }
        }
        if (help) {
            return new DiagnoseOptions("", json, central, "", language, true);
        }
        return new DiagnoseOptions(
                expected(service, "SERVICE", "the id of a service, such as web-01:80"),
                json,
                url(central),
                expected(token, "--token-file", "a file with an API token, or KOMAINU_TOKEN"),
                language(language),
                false);
    }

    private static String expected(@Nullable String value, String name, String expected)
            throws WrongUsageException {
        if (value == null || value.isBlank()) {
            throw new WrongUsageException(name + ": none (expected: " + expected + ")");
        }
        return value;
    }

    private static String language(String value) throws WrongUsageException {
        if (!value.equals("en") && !value.equals("ja")) {
            throw new WrongUsageException("--language: " + value + " (expected: en or ja)");
        }
        return value;
    }

    private static String url(String value) throws WrongUsageException {
        String address = value.replaceFirst("/+$", "");
        try {
            URI uri = URI.create(address);
            if (uri.getHost() != null
                    && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // Reported below, like every other value that is not an address.
        }
        throw new WrongUsageException("--central: " + value + " (expected: http://HOST:PORT)");
    }

    /** Returns the first line that is not blank; a token file contains only the token. */
    private static String read(String file) throws WrongUsageException {
        try {
            return Files.readString(Path.of(file), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .findFirst()
                    .orElseThrow(() -> new WrongUsageException(
                            "--token-file: " + file + " (expected: a token)"));
        } catch (IOException | IllegalArgumentException e) {
            throw new WrongUsageException("--token-file: " + file + " (expected: a readable file)");
        }
    }

    /** A mistake in the command line. */
    static final class WrongUsageException extends Exception {
        private static final long serialVersionUID = 1;

        WrongUsageException(String message) {
            super(message);
        }
    }
}
