/**
 * Tunnels through a line: a stream at one end and a TCP connection at the other, with WebSocket
 * (RFC 8441).
 *
 * <p>In: a request for a tunnel ({@link dev.komainu.organizer.line.tunnel.TunnelAcceptor}), or a
 * client's connection. Out: bytes in both directions
 * ({@link dev.komainu.organizer.line.tunnel.StreamRelay}). Thread: the event loop of the stream,
 * which is also that of the connection. Start at
 * {@link dev.komainu.organizer.line.tunnel.StreamRelay}.
 *
 * <p>Decision: docs/decisions/0073-the-line.md
 */
@NullMarked
package dev.komainu.organizer.line.tunnel;

import org.jspecify.annotations.NullMarked;
