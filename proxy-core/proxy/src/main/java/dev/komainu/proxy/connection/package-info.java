/**
 * Connections as a resource: their number, their idle time, and which are closed first in a
 * shortage. In: opened, used and idle connections; the system's figures of its resources. Out:
 * refusals, expiries, admissions of new clients. Thread: lists belong to one event loop, counts to
 * all; a thread of its own checks the resources. Start at
 * {@link dev.komainu.intermediary.connection.DeadlineList}, then
 * {@link dev.komainu.proxy.connection.Reclamation}.
 *
 * <p>Decision: docs/decisions/0061-idle-connections-give-way.md
 */
@NullMarked
package dev.komainu.proxy.connection;

import org.jspecify.annotations.NullMarked;
