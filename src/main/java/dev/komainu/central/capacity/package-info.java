/**
 * How much a server carries, what ends first, when that will be, what an upgrade must bring and
 * what it brought (thesis 6.2 and 7.2.2).
 *
 * <p>In: what the store kept of a service, ten seconds a point
 * ({@link dev.komainu.central.capacity.LoadPoint}). Out: a
 * {@link dev.komainu.central.capacity.CapacityModel}, or what is missing for one; from days of
 * hours the growth and the day it reaches the knee. Everything between is pure: the same points and
 * the same seed give the same answer.
 *
 * <p>Threads: one of its own looks at every service in turn
 * ({@link dev.komainu.central.capacity.Capacities}); a request for one service may compute it
 * again, one at a time. Start at {@link dev.komainu.central.capacity.CapacityModeller}.
 *
 * <p>Decision: docs/decisions/0057-knee-from-the-utilisation-law.md
 */
@NullMarked
package dev.komainu.central.capacity;

import org.jspecify.annotations.NullMarked;
