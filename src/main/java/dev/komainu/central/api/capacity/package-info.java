/**
 * Capacity of services over REST: {@code /capacity}, {@code /services/{service}/capacity},
 * {@code /changes/{id}/upgrade}.
 *
 * <p>In: requests that passed the guard; the newest capacities. Out: views in the units of the
 * contract, {@code null} for unknown values. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.capacity.CapacityController}.
 */
@NullMarked
package dev.komainu.central.api.capacity;

import org.jspecify.annotations.NullMarked;
