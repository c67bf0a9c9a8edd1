/**
 * Clusters of organizers: what each member says it sees, put side by side.
 *
 * <p>In: views of members, about one a second each, with their batches. Out: each cluster as it
 * stands, its history, and to a member what is thought of its servers. Where members hold different
 * tables the cluster is parted: nobody's word counts more than another's. Any thread; views live in
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
