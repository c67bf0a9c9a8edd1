package dev.komainu.organizer.route;

import java.util.List;

/**
 * A conflict: members claim one prefix for different contents. The oldest claim is served; the
 * other members wait.
 *
 * @param served members whose content is served
 * @param contested members that are left out
 */
public record RouteConflict(UrlPrefix prefix, List<MemberId> served, List<MemberId> contested) {}
