/**
 * The choice of the origin for a request, and access rules. In: a request head, a client's address.
 * Out: a route or a refusal. Pure: tables are immutable and swapped whole. Start at
 * {@link dev.komainu.proxy.route.RouteTable}.
 */
@NullMarked
package dev.komainu.proxy.route;

import org.jspecify.annotations.NullMarked;
