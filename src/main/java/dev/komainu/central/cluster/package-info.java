/**
 * Clusters of organizers: a merge of the views that their members report.
 *
 * <p>In: views of members, about one a second each, with their batches. Out: the present state of
 * each cluster, its history, and, for each member, the judgements on its servers. When members have
 * different tables the cluster is parted; all views have equal weight. Any thread; views are in
 * memory only, events in the control database.
 *
 * <p>Start at {@link dev.komainu.central.cluster.Clusters}.
 *
 * <p>Decisions: docs/decisions/0030-orders-to-proxies.md,
 * docs/decisions/0079-clusters-in-the-centre.md,
 * docs/decisions/0080-what-the-centre-thinks-of-a-server.md
 */
@NullMarked
package dev.komainu.central.cluster;

import org.jspecify.annotations.NullMarked;
