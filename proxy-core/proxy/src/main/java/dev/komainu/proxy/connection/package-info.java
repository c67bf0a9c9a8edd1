/**
 * Connections as a resource: how many, how long they may be idle, and who goes first when something
 * runs short. In: opened, used, idle; what the system tells of its resources. Out: refusals,
 * expiries, places for newcomers. Thread: lists belong to one event loop, counts to all, the look
 * at resources to a thread of its own. Start at
 * {@link dev.komainu.intermediary.connection.DeadlineList}, then
 * {@link dev.komainu.proxy.connection.Reclamation}.
 *
 * <p>Decision: docs/decisions/0061-idle-connections-give-way.md
 */
@NullMarked
package dev.komainu.proxy.connection;

import org.jspecify.annotations.NullMarked;
