package dev.komainu.central.audit.command;

import dev.komainu.central.audit.AuditHead;
import dev.komainu.telemetry.wire.SignedOrder;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options from the command line, or from {@code KOMAINU_URL} and {@code KOMAINU_TOKEN}.
 *
 * @param file export to check; absent: the service, or its database
 * @param data directory of the service's data
 * @param central address of the service, without a slash at its end
 * @param token token with the scope {@code admin}; absent: the service is not asked
 * @param heads heads from the command line
 * @param headFile file of heads; absent: {@code audit-head.log} below {@code data} if it exists
 * @param key public key that must have signed the heads of the file
 */
record VerifyOptions(
        @Nullable Path file,
        Path data,
        String central,
        @Nullable String token,
        List<AuditHead> heads,
        @Nullable Path headFile,
        @Nullable PublicKey key,
        boolean help) {

    static final String HELP = """
            audit verify: checks the hash chain of the audit log and names the first row that was changed, removed or inserted
              --file EXPORT      a file of JSON lines (GET /api/v1/audit with Accept: application/x-ndjson)
              --data DIR         data directory of the service (default data/central): its database when the service is stopped
              --central URL      the running service (default $KOMAINU_URL, else http://127.0.0.1:7600)
              --token-file FILE  holds an API token with the scope admin (default $KOMAINU_TOKEN itself)
              --head SEQ:HASH    a head known from elsewhere, such as the newest syslog message; may be repeated
              --head-file FILE   heads, as the service writes them (default audit-head.log in DIR)
              --key KEY          public key that must have signed the heads in FILE (GET /api/v1/order-key)
            Without --file: the running service with a token, and its database when no service answers.
            Exit codes: 0 complete, 1 not complete, 2 wrong usage, 3 nothing was checked.
            """;

    VerifyOptions {
        heads = List.copyOf(heads);
    }

    /**
     * Parses the command line.
     *
     * @throws MisuseException with the wrong value and the expected one
     */
    static VerifyOptions of(String[] arguments, Map<String, String> environment)
            throws MisuseException {
        Path file = null;
        Path data = Path.of("data/central");
        String central = environment.getOrDefault("KOMAINU_URL", "http://127.0.0.1:7600");
        String token = environment.get("KOMAINU_TOKEN");
        List<AuditHead> heads = new ArrayList<>();
        Path headFile = null;
        PublicKey key = null;
        if (arguments.length == 0 || isHelp(arguments[0])) {
            return new VerifyOptions(file, data, central, token, heads, headFile, key, true);
        }
        if (!arguments[0].equals("verify")) {
            throw new MisuseException(arguments[0] + ": (expected: audit verify; see --help)");
        }
        for (int i = 1; i < arguments.length; i++) {
            String argument = arguments[i];
            if (isHelp(argument)) {
                return new VerifyOptions(file, data, central, token, heads, headFile, key, true);
            }
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals > 0 ? argument.substring(0, equals) : argument;
            if (!name.matches("--(file|data|central|token-file|head|head-file|key)")) {
                throw new MisuseException(argument + ": (expected: an option; see --help)");
            }
            if (equals < 0 && ++i >= arguments.length) {
                throw new MisuseException(name + ": (expected: a value)");
            }
            String value = equals > 0 ? argument.substring(equals + 1) : arguments[i];
            switch (name) {
                case "--file" -> file = path(name, value);
                case "--data" -> data = path(name, value);
                case "--central" -> central = url(value);
                case "--token-file" -> token = BearerTokenFile.firstLine(path(name, value));
                case "--head" ->
                    heads.add(AuditHead.of(value)
                            .orElseThrow(() -> new MisuseException("--head: " + value
                                    + " (expected: SEQ:HASH with 64 hexadecimal digits)")));
                case "--head-file" -> headFile = path(name, value);
                default -> key = key(value);
            }
        }
        return new VerifyOptions(file, data, central, token, heads, headFile, key, false);
    }

    private static boolean isHelp(String argument) {
        return argument.equals("--help") || argument.equals("-h");
    }

    private static Path path(String name, String value) throws MisuseException {
        try {
            return Path.of(value);
        } catch (IllegalArgumentException e) {
            throw new MisuseException(name + ": " + value + " (expected: a path)");
        }
    }

    private static PublicKey key(String value) throws MisuseException {
        try {
            return SignedOrder.key(value);
        } catch (IllegalArgumentException e) {
            throw new MisuseException(
                    "--key: " + value + " (expected: 43 characters of base64url)");
        }
    }

    private static String url(String value) throws MisuseException {
        if (!value.matches("https?://[A-Za-z0-9._\\[\\]:-]+/*")) {
            throw new MisuseException("--central: " + value + " (expected: http://HOST:PORT)");
        }
        return value.replaceFirst("/+$", "");
    }

    /** A mistake in the command line. */
    static final class MisuseException extends Exception {
        private static final long serialVersionUID = 1;

        MisuseException(String message) {
            super(message);
        }
    }
}
