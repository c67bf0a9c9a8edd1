package dev.komainu.organizer.line;

import java.net.InetSocketAddress;
import java.util.Set;

/**
 * The peer at the other end of a connection.
 *
 * @param address its TCP or UDP address
 * @param names the DNS names in its verified certificate; empty without TLS
 */
public record LinePeer(InetSocketAddress address, Set<String> names) {}
