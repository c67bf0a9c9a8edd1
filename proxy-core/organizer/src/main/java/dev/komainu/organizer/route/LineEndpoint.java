package dev.komainu.organizer.route;

/**
 * Where a member's line is reached.
 *
 * @param host address or name, as the member announces it
 * @param port 1 to 65535
 * @param member who must answer there
 */
public record LineEndpoint(String host, int port, MemberId member) {

    /** @throws IllegalArgumentException naming what was expected */
    public LineEndpoint {
        if (host.isEmpty() || host.length() > 255 || port < 1 || port > 65_535) {
            throw new IllegalArgumentException(host + ":" + port + " (expected: HOST:PORT)");
        }
    }
}
