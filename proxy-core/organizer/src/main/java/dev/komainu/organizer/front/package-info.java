/**
 * Where requests come in, and how each gets its answer: from a server of this member, or over the
 * line from another's.
 *
 * <p>In: HTTP/1.1 of browsers and of proxies whose parent this is
 * ({@link dev.komainu.organizer.front.Http1ServerHandler}), and streams of peers. Both are taken
 * alike ({@link dev.komainu.organizer.front.ForwardedExchange}): a head, a stream that hears the
 * answer. Out: whomever the route table and {@code Choice} name. Thread: an exchange lives on the
 * event loop it came in on, with that loop's own lines and its own connections to servers
 * ({@link dev.komainu.organizer.front.FrontLoop}). Nobody here decides who serves what. Start at
 * {@link dev.komainu.organizer.front.Front}.
 *
 * <p>Decisions: docs/decisions/0076-the-front.md, docs/decisions/0081-who-owns-an-object.md
 */
@NullMarked
package dev.komainu.organizer.front;

import org.jspecify.annotations.NullMarked;
