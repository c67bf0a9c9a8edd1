/**
 * The REST interface as the contract tells it, {@code docs/api/openapi.yaml}: a package for each
 * resource, with its controllers and views. Here is what belongs to none: the contract itself, the
 * console's files, figures for Prometheus.
 *
 * <p>In: requests the guard let through. Out: JSON as the contract says, or a problem. Thread: one
 * virtual thread for each request. Controllers read what other rooms publish; nothing below imports
 * them.
 *
 * <p>Start at {@link dev.komainu.central.api.guard.RouteScopes} for the list of all routes.
 *
 * <p>Decision: docs/decisions/0002-contract-first-openapi.md
 */
@NullMarked
package dev.komainu.central.api;

import org.jspecify.annotations.NullMarked;
