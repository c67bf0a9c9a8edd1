package dev.komainu.intermediary.upstream;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The target of a route: one server, or several servers with the same content.
 *
 * @param servers at least one, at most {@value #MAX_SERVERS}
 */
public record Origin(List<UpstreamServer> servers) {

    static final int MAX_SERVERS = 64;

    /** The cluster: its route table selects the server for each request. */
    public static final Origin CLUSTER =
            new Origin(List.of(new UpstreamServer(false, "cluster", 0)));

    private static final String CLUSTER_TEXT = "cluster";

    public Origin {
        servers = List.copyOf(servers);
        if (servers.isEmpty() || servers.size() > MAX_SERVERS) {
            throw new IllegalArgumentException(
                    servers.size() + " servers (expected: 1 to " + MAX_SERVERS + ")");
        }
    }

    /**
     * Reads {@code cluster}, or URLs such as {@code http://host[:port]} and
     * {@code https://host[:port]}, separated by blanks or commas.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    public static Origin parse(String text) {
        if (text.strip().equals(CLUSTER_TEXT)) {
            return CLUSTER;
        }
        List<UpstreamServer> servers = new ArrayList<>();
        for (String url : text.strip().split("[ ,]+")) {
            servers.add(UpstreamServer.parse(url));
        }
        return new Origin(servers);
    }

    /**
     * Reads {@code host[:port]} of a request whose syntax was checked.
     *
     * @throws IllegalArgumentException when the host is empty or the port is out of range
     */
    public static Origin ofAuthority(String authority, int defaultPort) {
        int bracket = authority.lastIndexOf(']');
        int colon = authority.indexOf(':', Math.max(0, bracket));
        String host = colon < 0 ? authority : authority.substring(0, colon);
        return new Origin(List.of(UpstreamServer.of(
                false,
                host,
                colon < 0 ? defaultPort : Integer.parseInt(authority.substring(colon + 1)))));
    }

    /** Reports whether the route table of the cluster selects the server. */
    public boolean isCluster() {
        return servers.getFirst().port() == 0;
    }

    /** Returns the Host field for a request that has none: that of the first server. */
    public String authority() {
        return isCluster() ? CLUSTER_TEXT : servers.getFirst().authority();
    }

    @Override
    public String toString() {
        if (isCluster()) {
            return CLUSTER_TEXT;
        }
        return servers.size() == 1
                ? servers.getFirst().toString()
                : servers.stream().map(UpstreamServer::toString).collect(Collectors.joining("|"));
    }
}
