/**
 * The HTTP/2 carrier (RFC 9113): connections of a line over TCP, in the clear or under TLS.
 *
 * <p>In: an address to dial ({@link dev.komainu.organizer.line.http2.TcpConnector}), or a channel
 * that a server has accepted ({@link dev.komainu.organizer.line.http2.Http2LineConnection#make}).
 * Out: a {@link dev.komainu.organizer.line.connection.LineConnection} and the calls of its owner.
 * Thread: a connection and its streams live on the event loop of their channel. Start at
 * {@link dev.komainu.organizer.line.http2.Http2LineConnection}.
 *
 * <p>Decisions: docs/decisions/0073-the-line.md, docs/decisions/0074-small-first.md
 */
@NullMarked
package dev.komainu.organizer.line.http2;

import org.jspecify.annotations.NullMarked;
