/**
 * The origin servers of this member: their state and their load. In: results of connection checks
 * and requests. Out: a state and figures. Start at
 * {@link dev.komainu.organizer.server.LocalServer}.
 *
 * <p>Decisions: docs/decisions/0072-whom-an-organizer-asks.md,
 * docs/decisions/0080-what-the-centre-thinks-of-a-server.md
 */
@NullMarked
package dev.komainu.organizer.server;

import org.jspecify.annotations.NullMarked;
