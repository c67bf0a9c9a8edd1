/**
 * What this organizer tells the central service: itself, its cluster as it sees it, what happened;
 * and what it hears back of its servers.
 *
 * <p>In: members, table, lines, counts, events. Out: records to the reporter, about one a second.
 * Threads: its own, which gathers; the reporter's, which hands in what was thought of servers.
 * Start at {@link dev.komainu.organizer.report.ClusterReport}.
 */
@NullMarked
package dev.komainu.organizer.report;

import org.jspecify.annotations.NullMarked;
