/**
 * The REST interface: one small controller for each resource of the contract, {@code docs/api/openapi.yaml}.
 *
 * <p>In: requests the guard let through. Out: JSON as the contract says, or a problem. Thread: one virtual thread for
 * each request. Controllers read what other rooms publish; nothing below imports this room.
 *
 * <p>Start at {@link dev.komainu.central.api.guard.Routes} for the list of all routes.
 */
@NullMarked
package dev.komainu.central.api;

import org.jspecify.annotations.NullMarked;
