/**
 * Capacity of services over REST: {@code /capacity}, {@code /services/{service}/capacity},
 * {@code /changes/{id}/upgrade}.
 *
 * <p>In: requests the guard let through; capacities as last modelled. Out: views in the units of
 * the contract, {@code null} for what is not known. Thread: the request's.
 *
 * <p>Start at {@link dev.komainu.central.api.capacity.CapacityController}.
 */
@NullMarked
package dev.komainu.central.api.capacity;

import org.jspecify.annotations.NullMarked;
