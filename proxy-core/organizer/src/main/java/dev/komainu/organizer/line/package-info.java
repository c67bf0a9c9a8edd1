/**
 * The line between two organizers: all exchanges of the two as HTTP/2 streams (RFC 9113) over one to four long-lived TCP
 * connections, or as streams of as many QUIC connections.
 *
 * <p>In: a request's head and the {@link dev.komainu.organizer.line.StreamEvents} that hear its answer, at
 * {@link dev.komainu.organizer.line.Line#open}. Out: a call of {@link dev.komainu.organizer.line.StreamTaker} at the other end, a
 * {@link dev.komainu.organizer.line.LineServer}. Thread: a line lives on one event loop with all its connections; streams, and what
 * they tell, are that loop's. Nobody here knows which peer is right for a URL, nor who the peers are. Start at {@code Line}.
 */
@NullMarked
package dev.komainu.organizer.line;

import org.jspecify.annotations.NullMarked;
