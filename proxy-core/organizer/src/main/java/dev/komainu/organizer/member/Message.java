package dev.komainu.organizer.member;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;

/** A message between members. */
sealed interface Message {

    /** A member's routes: sent to all when they change, to new members, and on request. */
    record Announced(Announcement announcement) implements Message {}

    /** A member's load: sent to all, once a second while it changes. */
    record Reported(MemberLoad report) implements Message {}

    /** A member leaves in order: its end is no fault. */
    record Farewell(MemberId member, long incarnation) implements Message {}

    /** Request for an announcement that was missed. */
    record Ask() implements Message {}

    /**
     * Request that measures a round trip.
     *
     * @param sentNanos time of the sender's clock; returned unchanged
     */
    record Ping(long sentNanos) implements Message {}

    /**
     * Answer to a {@link Ping}.
     *
     * @param sentNanos as in the request
     */
    record Pong(long sentNanos) implements Message {}
}
