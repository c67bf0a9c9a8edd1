package dev.komainu.organizer.route;

import java.util.List;

/**
 * Members claim one prefix for different contents. The claim that is there for longest is served;
 * the others wait.
 *
 * @param served those whose content is served
 * @param contested those left out
 */
public record RouteConflict(UrlPrefix prefix, List<MemberId> served, List<MemberId> contested) {}
