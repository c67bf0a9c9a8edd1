/**
 * Fleet: the watched servers and the sources that report on them.
 *
 * <p>In: sightings of servers and the sources' own status, in the order they were ingested. Out:
 * one {@link dev.komainu.central.fleet.ServiceProfile} per server, however many probes observe it,
 * and one {@link dev.komainu.central.fleet.SourceProfile} per source. Reads use memory; H2 keeps
 * the data over a restart. Any thread.
 *
 * <p>Start at {@link dev.komainu.central.fleet.Fleet}.
 */
@NullMarked
package dev.komainu.central.fleet;

import org.jspecify.annotations.NullMarked;
