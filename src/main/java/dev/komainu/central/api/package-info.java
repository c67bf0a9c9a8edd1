/**
 * The REST interface by the contract {@code docs/api/openapi.yaml}: a package for each resource,
 * with its controllers and views. This package contains the rest: the contract itself, the
 * console's files, values for Prometheus.
 *
 * <p>In: requests that passed the guard. Out: JSON by the contract, or a problem. Thread: one
 * virtual thread for each request. Controllers read the published results of other packages; no
 * package below imports them.
 *
 * <p>Start at {@link dev.komainu.central.api.guard.RouteScopes} for the list of all routes.
 *
 * <p>Decision: docs/decisions/0002-contract-first-openapi.md
 */
@NullMarked
package dev.komainu.central.api;

import org.jspecify.annotations.NullMarked;
