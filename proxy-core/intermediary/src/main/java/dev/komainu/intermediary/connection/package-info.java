/**
 * Connections in the order of their age. In: opened, used, idle. Out: those whose deadline has
 * passed, and the one idle longest. Thread: a list belongs to one event loop, its counts to all.
 * Start at {@link dev.komainu.intermediary.connection.DeadlineList}.
 *
 * <p>Decision: docs/decisions/0061-idle-connections-give-way.md
 */
@NullMarked
package dev.komainu.intermediary.connection;

import org.jspecify.annotations.NullMarked;
