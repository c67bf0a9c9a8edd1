package dev.komainu.central.clickhouse;

import dev.komainu.settings.SettingGrammar;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The address of a ClickHouse database.
 *
 * @param server scheme, host and port
 * @param database its name; letters, digits and underscores, so that SQL needs no quotes
 */
public record ClickHouseAddress(URI server, String database) {

    static final String FORM = "`http(s)://HOST[:PORT]/DATABASE`";

    private static final Pattern DATABASE = Pattern.compile("/([A-Za-z_][A-Za-z0-9_]{0,62})/?");
    private static final int CLEAR_PORT = 8123;
    private static final int TLS_PORT = 8443;

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException naming the mistake; never with a secret
     */
    static ClickHouseAddress parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(expected("another form"), e);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        // The text is not repeated: it may be USER:PASSWORD@HOST.
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "user in the address (expected: komainu.records.user and komainu.records.password-file)");
        }
        var database = DATABASE.matcher(Objects.requireNonNullElse(uri.getRawPath(), ""));
        boolean isTls = scheme.equals("https");
        if (!(isTls || scheme.equals("http"))
                || uri.getHost() == null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null
                || !database.matches()) {
            throw new IllegalArgumentException(expected("another form"));
        }
        if (!isTls && !SettingGrammar.isThisMachine(uri.getHost())) {
            throw new IllegalArgumentException(text
                    + " (expected: https, or a server on this machine: records and the password"
                    + " would be sent in clear text)");
        }
        int port = uri.getPort() > 0 ? uri.getPort() : isTls ? TLS_PORT : CLEAR_PORT;
        return new ClickHouseAddress(
                URI.create(scheme + "://" + uri.getHost() + ":" + port), database.group(1));
    }

    private static String expected(String what) {
        return what + " (expected: " + FORM.replace("`", "") + ")";
    }

    @Override
    public String toString() {
        return server + "/" + database;
    }
}
