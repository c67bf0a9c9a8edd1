/**
 * Connections as a resource: how many, how long they may be idle. In: opened, used, idle. Out: refusals and expiries.
 * Thread: lists belong to one event loop, counts to all. Start at {@link dev.komainu.proxy.connection.DeadlineList}.
 */
@NullMarked
package dev.komainu.proxy.connection;

import org.jspecify.annotations.NullMarked;
