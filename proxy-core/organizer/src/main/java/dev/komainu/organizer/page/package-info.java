/**
 * The prefetch of the objects of a page: learnt and pushed by the member beside the server, stored
 * by the member beside the clients.
 *
 * <p>In: the objects requested from each page ({@link dev.komainu.organizer.page.PageLearner}), and
 * pushed responses ({@link dev.komainu.organizer.page.PushStore}). Out: the objects to push with a
 * page, and the stored responses. Thread: all loops. Each of the two classes has one lock, held for
 * the time of a map lookup. This package does not depend on lines, members' servers or clients.
 * Start at {@code PageLearner}.
 *
 * <p>Decision: docs/decisions/0084-what-a-page-needs.md
 */
@NullMarked
package dev.komainu.organizer.page;

import org.jspecify.annotations.NullMarked;
