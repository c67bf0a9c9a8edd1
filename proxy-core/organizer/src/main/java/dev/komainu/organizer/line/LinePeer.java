package dev.komainu.organizer.line;

import java.net.InetSocketAddress;
import java.util.Set;

/**
 * Who is at the other end of a connection.
 *
 * @param address its TCP or UDP address
 * @param names those that its verified certificate bears (DNS names); empty without TLS
 */
public record LinePeer(InetSocketAddress address, Set<String> names) {}
