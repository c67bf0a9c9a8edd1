/**
 * HTTP read by an observer (RFC 9112, RFC 9113, RFC 7541): HTTP/1 byte by byte, HTTP/2 frame by
 * frame.
 *
 * <p>In: pieces of a connection's two streams. Out: exchanges, and for each piece whether it could
 * be read. Thread: a single one, the source's. The state between two pieces is stored in the
 * connection's row; bodies are only counted.
 *
 * <p>Start at {@link dev.komainu.agent.connection.http.HttpStream} or
 * {@link dev.komainu.agent.connection.http.Http2Reader}.
 *
 * <p>Decisions: docs/decisions/0016-own-hpack-reader.md,
 * docs/decisions/0092-passive-http1-and-tls-readers.md
 */
@NullMarked
package dev.komainu.agent.connection.http;

import org.jspecify.annotations.NullMarked;
