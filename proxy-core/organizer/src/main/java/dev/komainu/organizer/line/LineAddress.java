package dev.komainu.organizer.line;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The address at which a peer's server of lines listens.
 *
 * @param host resolved already: members exchange addresses, not host names
 * @param port 1 to 65535
 * @param member the peer's name. Over TLS its certificate must bear this name (a DNS name among the
 *     subject's alternative names)
 */
public record LineAddress(InetAddress host, int port, String member) {

    /**
     * Creates an address.
     *
     * @throws IllegalArgumentException naming the value and what was expected
     */
    public LineAddress {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 1 to 65535)");
        }
        if (member.isBlank()) {
            throw new IllegalArgumentException("member: empty (expected: the peer's name)");
        }
    }

    public InetSocketAddress socket() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return member + " at " + host.getHostAddress() + ":" + port;
    }
}
