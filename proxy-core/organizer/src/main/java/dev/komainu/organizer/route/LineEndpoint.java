package dev.komainu.organizer.route;

/**
 * The endpoint of a member's line.
 *
 * @param host address or name, as the member announces it
 * @param port 1 to 65535
 * @param member the member that must authenticate there
 */
public record LineEndpoint(String host, int port, MemberId member) {

    /**
     * Validates the endpoint.
     *
     * @throws IllegalArgumentException naming the expected value
     */
    public LineEndpoint {
        if (host.isEmpty() || host.length() > 255 || port < 1 || port > 65_535) {
            throw new IllegalArgumentException(host + ":" + port + " (expected: HOST:PORT)");
        }
    }
}
