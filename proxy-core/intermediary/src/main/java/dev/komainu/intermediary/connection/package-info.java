/**
 * Connections in the order of their age. In: connections opened, used and idle. Out: those whose
 * deadline has passed, and the one idle for the longest time. Thread: a list belongs to one event
 * loop, the counts are shared by all. Start at
 * {@link dev.komainu.intermediary.connection.DeadlineList}.
 *
 * <p>Decision: docs/decisions/0061-idle-connections-give-way.md
 */
@NullMarked
package dev.komainu.intermediary.connection;

import org.jspecify.annotations.NullMarked;
