/**
 * Capacity of servers: the highest rate, the first limit, the time until it is reached, the
 * required upgrade and its effect (thesis 6.2 and 7.2.2).
 *
 * <p>In: the stored load of a service, ten seconds a point
 * ({@link dev.komainu.central.capacity.LoadPoint}). Out: a
 * {@link dev.komainu.central.capacity.CapacityModel}, or the missing inputs; from days of hours the
 * growth and the day on which it reaches the knee. All computation is pure: the same points and the
 * same seed give the same result.
 *
 * <p>Threads: one of its own computes every service in turn
 * ({@link dev.komainu.central.capacity.Capacities}); a request for one service can compute it
 * again, one at a time. Start at {@link dev.komainu.central.capacity.CapacityModeller}.
 *
 * <p>Decision: docs/decisions/0057-knee-from-the-utilisation-law.md
 */
@NullMarked
package dev.komainu.central.capacity;

import org.jspecify.annotations.NullMarked;
