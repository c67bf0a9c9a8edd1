/**
 * Fleet: which servers are watched, and who watches them.
 *
 * <p>In: sightings of servers and the sources' own status, in the order they were ingested. Out:
 * one {@link dev.komainu.central.fleet.ServiceProfile} per server, however many probes see it, and
 * one {@link dev.komainu.central.fleet.SourceProfile} per source. Memory answers, H2 remembers over
 * a restart. Any thread.
 *
 * <p>Start at {@link dev.komainu.central.fleet.Fleet}.
 */
@NullMarked
package dev.komainu.central.fleet;

import org.jspecify.annotations.NullMarked;
