package dev.komainu.central.clickhouse;

import dev.komainu.settings.SettingGrammar;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The address of a ClickHouse database.
 *
 * @param servers scheme, host and port of each server that has it; the first is asked first
 * @param database its name; letters, digits and underscores, so that SQL needs no quotes
 */
public record ClickHouseAddress(List<URI> servers, String database) {

    static final String FORM = "`http(s)://HOST[:PORT][,HOST[:PORT]]…/DATABASE`";

    private static final int MOST_SERVERS = 32;
    private static final Pattern ADDRESS =
            Pattern.compile("(?i)(https?)://([^/]+)/([A-Za-z_][A-Za-z0-9_]{0,62})/?");
    private static final int CLEAR_PORT = 8123;
    private static final int TLS_PORT = 8443;

    public ClickHouseAddress {
        servers = List.copyOf(servers);
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException naming the mistake; never with a secret
     */
    static ClickHouseAddress parse(String text) {
        // The text is not repeated: it may be USER:PASSWORD@HOST.
        if (text.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "user in the address (expected: komainu.records.user and komainu.records.password-file)");
        }
        Matcher parts = ADDRESS.matcher(text);
        if (!parts.matches()) {
            throw otherForm();
        }
        boolean isTls = parts.group(1).equalsIgnoreCase("https");
        Set<URI> servers = new LinkedHashSet<>();
        for (String host : parts.group(2).split(",", -1)) {
            URI server = server(isTls ? "https" : "http", host);
            if (!isTls && !SettingGrammar.isThisMachine(server.getHost())) {
                throw new IllegalArgumentException(text
                        + " (expected: https, or a server on this machine: records and the password"
                        + " would be sent in clear text)");
            }
            if (!servers.add(server)) {
                throw new IllegalArgumentException(host + " twice (expected: each server once)");
            }
        }
        if (servers.size() > MOST_SERVERS) {
            throw new IllegalArgumentException(
                    servers.size() + " servers (expected: at most " + MOST_SERVERS + ")");
        }
        return new ClickHouseAddress(List.copyOf(servers), parts.group(3));
    }

    private static URI server(String scheme, String host) {
        try {
            URI uri = new URI(scheme + "://" + host);
            if (uri.getHost() == null || !host.equals(uri.getRawAuthority())) {
                throw otherForm();
            }
            int port = uri.getPort() > 0
                    ? uri.getPort()
                    : scheme.equals("https") ? TLS_PORT : CLEAR_PORT;
            return URI.create(scheme + "://" + uri.getHost() + ":" + port);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(otherForm().getMessage(), e);
        }
    }

    private static IllegalArgumentException otherForm() {
        return new IllegalArgumentException(
                "another form (expected: " + FORM.replace("`", "") + ")");
    }

    /** Reports whether records are sent in TLS. */
    boolean isTls() {
        return servers.getFirst().getScheme().equals("https");
    }

    /** Returns the address of the database on one of the servers. */
    ClickHouseAddress on(URI server) {
        return new ClickHouseAddress(List.of(server), database);
    }

    @Override
    public String toString() {
        return servers.getFirst()
                + servers.stream()
                        .skip(1)
                        .map(each -> "," + each.getRawAuthority())
                        .collect(Collectors.joining())
                + "/" + database;
    }
}
