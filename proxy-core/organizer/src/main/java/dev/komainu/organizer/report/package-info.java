/**
 * The reports of this organizer to the central service: its process, its view of the cluster and
 * the events; and the states of its servers that the central service returns.
 *
 * <p>In: members, table, lines, counts, events. Out: records to the reporter, about one a second.
 * Threads: its own thread, which collects; the reporter's, which delivers the states of the
 * servers. Start at {@link dev.komainu.organizer.report.ClusterReport}.
 *
 * <p>Decisions: docs/decisions/0079-clusters-in-the-centre.md,
 * docs/decisions/0080-what-the-centre-thinks-of-a-server.md
 */
@NullMarked
package dev.komainu.organizer.report;

import org.jspecify.annotations.NullMarked;
