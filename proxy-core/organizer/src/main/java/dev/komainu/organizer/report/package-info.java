/**
 * What this organizer tells the central service: itself, its cluster as it sees it, what happened;
 * and what it hears back of its servers.
 *
 * <p>In: members, table, lines, counts, events. Out: records to the reporter, about one a second.
 * Threads: its own, which gathers; the reporter's, which hands in what was thought of servers.
 * Start at {@link dev.komainu.organizer.report.ClusterReport}.
 *
 * <p>Decisions: docs/decisions/0079-clusters-in-the-centre.md,
 * docs/decisions/0080-what-the-centre-thinks-of-a-server.md
 */
@NullMarked
package dev.komainu.organizer.report;

import org.jspecify.annotations.NullMarked;
