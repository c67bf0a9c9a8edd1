/**
 * The two endpoints of a line: the client, which sends requests over connections of either carrier,
 * and the server, which answers them.
 *
 * <p>In: a request's head and the {@link dev.komainu.organizer.line.StreamListener} of its
 * response, at {@link dev.komainu.organizer.line.endpoint.Line#open}. Out: a call of
 * {@link dev.komainu.organizer.line.StreamAcceptor} at the other end, a
 * {@link dev.komainu.organizer.line.endpoint.LineServer}. Thread: a line lives on one event loop
 * with all its connections; a server's connections live on the loops that accepted them. Start at
 * {@link dev.komainu.organizer.line.endpoint.Line}.
 *
 * <p>Decisions: docs/decisions/0073-the-line.md, docs/decisions/0083-quic-beneath-the-line.md
 */
@NullMarked
package dev.komainu.organizer.line.endpoint;

import org.jspecify.annotations.NullMarked;
