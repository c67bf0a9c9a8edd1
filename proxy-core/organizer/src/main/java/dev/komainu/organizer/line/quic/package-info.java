/**
 * The QUIC carrier (RFC 9000): connections of a line over UDP, with the line's own frames on their
 * streams.
 *
 * <p>In: an address to dial, or one to listen at
 * ({@link dev.komainu.organizer.line.quic.QuicTransport}). Out: a
 * {@link dev.komainu.organizer.line.connection.LineConnection} and the calls of its owner. Thread:
 * a connection and its streams live on the event loop of their channel. Start at
 * {@link dev.komainu.organizer.line.quic.QuicConnection}.
 *
 * <p>Decision: docs/decisions/0083-quic-beneath-the-line.md
 */
@NullMarked
package dev.komainu.organizer.line.quic;

import org.jspecify.annotations.NullMarked;
