package dev.komainu.central.control;

import dev.komainu.settings.SettingGrammar;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of a PostgreSQL database as a setting. */
final class ControlUrl {

    static final String FORM = "`jdbc:postgresql://HOST[:PORT]/DATABASE[?OPTION=VALUE&…]`";

    private static final Pattern PARTS =
            Pattern.compile("jdbc:postgresql://([^/?#@\\s]+)/([^/?#\\s]+)(?:\\?([^#\\s]*))?");

    /** Options with a secret. The whole address is printed with the settings and in reports. */
    private static final List<String> SECRETS = List.of("password", "sslpassword");

    private ControlUrl() {}

    /**
     * Checks an address and returns it as PostgreSQL's driver reads it.
     *
     * @throws IllegalArgumentException naming the mistake; never with a secret
     */
    static String parse(String text) {
        String url = text.startsWith("postgresql://") ? "jdbc:" + text : text;
        Matcher parts = PARTS.matcher(url);
        if (!parts.matches()) {
            // The text is not repeated: it may be USER:PASSWORD@HOST.
            throw new IllegalArgumentException(
                    "another form (expected: " + FORM.replace("`", "") + ")");
        }
        List<String> options = parts.group(3) == null
                ? List.of()
                : Arrays.stream(parts.group(3).split("&"))
                        .map(option -> option.split("=", 2)[0])
                        .toList();
        for (String secret : SECRETS) {
            if (options.stream().anyMatch(secret::equalsIgnoreCase)) {
                throw new IllegalArgumentException(
                        secret + " in the address (expected: komainu.control.password-file)");
            }
        }
        if (options.stream().anyMatch("user"::equalsIgnoreCase)) {
            throw new IllegalArgumentException(
                    "user in the address (expected: komainu.control.user)");
        }
        boolean choosesTls = options.contains("sslmode") || options.contains("ssl");
        if (!choosesTls && !Arrays.stream(parts.group(1).split(",")).allMatch(ControlUrl::isHere)) {
            throw new IllegalArgumentException(
                    url
                            + " (expected: with sslmode=verify-full, or another sslmode, for a server on another host)");
        }
        return url;
    }

    /** Reports whether {@code HOST[:PORT]} is on this machine. */
    private static boolean isHere(String host) {
        return SettingGrammar.isThisMachine(
                host.startsWith("[") ? host : host.replaceFirst(":\\d*$", ""));
    }
}
