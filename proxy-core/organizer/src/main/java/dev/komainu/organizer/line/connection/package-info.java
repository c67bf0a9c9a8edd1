/**
 * One connection of a line as its owner sees it, and the parts that both carriers use: liveness,
 * order of sending, limit of received bytes, promises, state.
 *
 * <p>In: events of a carrier's channel. Out: the decisions that are the same for both carriers.
 * Thread: everything belongs to the event loop of its connection. Start at
 * {@link dev.komainu.organizer.line.connection.LineConnection}.
 *
 * <p>Decisions: docs/decisions/0073-the-line.md, docs/decisions/0074-small-first.md
 */
@NullMarked
package dev.komainu.organizer.line.connection;

import org.jspecify.annotations.NullMarked;
