package dev.komainu.intermediary.upstream;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a route leads: one server, or several that serve the same.
 *
 * @param servers at least one, at most {@value #MOST}
 */
public record Origin(List<UpstreamServer> servers) {

    static final int MAX_SERVERS = 64;

    /** Whoever the cluster's route table names, request by request. */
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
     * Reads URLs such as {@code http://host[:port]} or {@code https://host[:port]}, divided by
     * blanks; or {@code cluster}.
     *
     * @throws IllegalArgumentException naming the text and what was expected
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
     * Reads {@code host[:port]} of a request that was found well-formed.
     *
     * @throws IllegalArgumentException when it is not
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

    /** Whether the route table of the cluster says who is asked. */
    public boolean isCluster() {
        return servers.getFirst().port() == 0;
    }

    /** For the Host field of a request that names none: the first server's. */
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
