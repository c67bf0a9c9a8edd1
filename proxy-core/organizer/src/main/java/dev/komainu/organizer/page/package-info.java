/**
 * What a page will need comes with the page: what is learnt of pages beside their servers, and what
 * came unasked and waits beside their readers.
 *
 * <p>In: which object was asked for from which page
 * ({@link dev.komainu.organizer.page.PageLearner}), and answers that nobody has asked for yet
 * ({@link dev.komainu.organizer.page.PushStore}). Out: what to push beside a page, and those
 * answers. Thread: all loops; each of the two has one lock, held for as long as a look into a map
 * takes. Nobody here knows lines, members' servers or clients. Start at {@code PageLearner}.
 *
 * <p>Decision: docs/decisions/0084-what-a-page-needs.md
 */
@NullMarked
package dev.komainu.organizer.page;

import org.jspecify.annotations.NullMarked;
