/**
 * The line between two organizers: all exchanges of the two as HTTP/2 streams (RFC 9113) over one
 * to four long-lived TCP connections, or as streams of as many QUIC connections. This package has
 * what all parts of the line share: streams, settings, TLS, figures.
 *
 * <p>In: calls of {@link dev.komainu.organizer.line.LineStream}. Out: calls of
 * {@link dev.komainu.organizer.line.StreamListener}. Thread: a stream and its events belong to one
 * event loop. No package of the line knows which peer is right for a URL, nor which peers exist.
 * Start at {@link dev.komainu.organizer.line.LineStream}; {@code endpoint} makes lines.
 *
 * <p>Decision: docs/decisions/0073-the-line.md
 */
@NullMarked
package dev.komainu.organizer.line;

import org.jspecify.annotations.NullMarked;
