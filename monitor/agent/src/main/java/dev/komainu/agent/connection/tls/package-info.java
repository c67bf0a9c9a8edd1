/**
 * TLS read by an observer (RFC 8446, RFC 5246): hellos in the clear, then exchanges by the lengths
 * and directions of records.
 *
 * <p>In: pieces of a connection's two streams. Out: exchanges without method and path, the facts of
 * the handshake, and for each piece whether it could be read. Thread: a single one, the source's.
 * Nothing is decrypted.
 *
 * <p>Start at {@link dev.komainu.agent.connection.tls.TlsStream}.
 *
 * <p>Decisions: docs/decisions/0016-own-hpack-reader.md,
 * docs/decisions/0092-passive-http1-and-tls-readers.md
 */
@NullMarked
package dev.komainu.agent.connection.tls;

import org.jspecify.annotations.NullMarked;
