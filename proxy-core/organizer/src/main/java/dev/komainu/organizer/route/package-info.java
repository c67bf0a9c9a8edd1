/**
 * Who serves which stretch of the URL space, and whom to ask now. In: what members announce and
 * report. Out: one immutable table for all, and for a request one member. Pure but for
 * {@link dev.komainu.organizer.route.MemberForecasts}, which counts. Start at
 * {@link dev.komainu.organizer.route.ClusterRouteTable} and
 * {@link dev.komainu.organizer.route.MemberChoice}.
 *
 * <p>Decision: docs/decisions/0072-whom-an-organizer-asks.md
 */
@NullMarked
package dev.komainu.organizer.route;

import org.jspecify.annotations.NullMarked;
