/**
 * The lease of the centre that judges. Several centres may share one database of control data; one
 * of them holds the lease and judges, the others wait and forward requests to it.
 *
 * <p>In: the database of control data (PostgreSQL), {@code komainu.lease.*}. Out: the epoch of this
 * centre, its end, and the address of the holder. Each take-over has a larger epoch. The database
 * itself refuses writes of an older one. Threads: one that renews the lease.
 *
 * <p>Decision: docs/decisions/0125-one-judge.md
 */
@NullMarked
package dev.komainu.central.lease;

import org.jspecify.annotations.NullMarked;
