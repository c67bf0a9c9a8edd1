/**
 * Clusters of organizers over REST: {@code /clusters}.
 *
 * <p>In: requests that passed the guard; the reports of members. Out: members side by side, events,
 * and orders to a member's control endpoint. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.cluster.ClustersController}.
 */
@NullMarked
package dev.komainu.central.api.cluster;

import org.jspecify.annotations.NullMarked;
