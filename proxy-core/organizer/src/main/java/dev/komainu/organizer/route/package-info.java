/**
 * The routes of the URL space, and the choice of a member for each request. In: announcements and
 * reports of members. Out: one immutable table for all, and one member for a request. Pure
 * functions, except {@link dev.komainu.organizer.route.MemberForecasts}, which counts. Start at
 * {@link dev.komainu.organizer.route.ClusterRouteTable} and
 * {@link dev.komainu.organizer.route.MemberChoice}.
 *
 * <p>Decision: docs/decisions/0072-whom-an-organizer-asks.md
 */
@NullMarked
package dev.komainu.organizer.route;

import org.jspecify.annotations.NullMarked;
