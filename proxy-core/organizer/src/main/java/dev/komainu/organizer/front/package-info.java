/**
 * The front: requests come in here, and each gets its response from a server of this member, or
 * over a line from another member's server.
 *
 * <p>In: HTTP/1.1 of browsers and of child proxies
 * ({@link dev.komainu.organizer.front.Http1ServerHandler}), and streams of peers. Both are handled
 * in the same way ({@link dev.komainu.organizer.front.ForwardedExchange}): a head, and a stream
 * that receives the response. Out: requests to the member that the route table and
 * {@code MemberChoice} select. Thread: an exchange lives on the event loop of its connection, with
 * that loop's own lines and its own connections to servers
 * ({@link dev.komainu.organizer.front.FrontLoop}). No class here decides which member serves what.
 * Start at {@link dev.komainu.organizer.front.Front}.
 *
 * <p>Decisions: docs/decisions/0076-the-front.md, docs/decisions/0081-who-owns-an-object.md
 */
@NullMarked
package dev.komainu.organizer.front;

import org.jspecify.annotations.NullMarked;
