/**
 * The line between two organizers: all exchanges of the two as HTTP/2 streams (RFC 9113) over one
 * to four long-lived TCP connections, or as streams of as many QUIC connections. This package is
 * what all parts of it share: streams, settings, TLS, figures.
 *
 * <p>In: calls of {@link dev.komainu.organizer.line.LineStream}. Out: calls of
 * {@link dev.komainu.organizer.line.StreamListener}. Thread: a stream, and what it tells, belong to
 * one event loop. No package of the line knows which peer is right for a URL, nor which peers there
 * are. Start at {@link dev.komainu.organizer.line.LineStream}; a line is made in {@code endpoint}.
 *
 * <p>Decision: docs/decisions/0073-the-line.md
 */
@NullMarked
package dev.komainu.organizer.line;

import org.jspecify.annotations.NullMarked;
