package dev.komainu.organizer.route;

/**
 * A member that serves a prefix.
 *
 * @param draining whether the member wants no new requests
 */
public record Candidate(MemberId member, LineEndpoint line, ServedRoute route, boolean draining) {}
