package dev.komainu.organizer.member;

import dev.komainu.organizer.route.ServerState;

/**
 * Current load of this member's own server; see {@link dev.komainu.organizer.route.MemberLoad}.
 *
 * @param serviceMicros moving mean; 0: none measured yet
 */
public record LocalLoad(
        int inFlight, long serviceMicros, long served, long faults, ServerState state) {

    public static final LocalLoad NONE = new LocalLoad(0, 0, 0, 0, ServerState.UP);
}
